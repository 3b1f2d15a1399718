"""One examiner for all tests of a file: it loads JAX once."""

from collections.abc import Iterator

import pytest

from stagelight.lab.asking import Examiner


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    """The process that runs programs."""
    with Examiner() as examiner:
        examiner.start()
        yield examiner
