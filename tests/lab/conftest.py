"""One examiner for all tests of a file: it loads JAX once."""

from collections.abc import Iterator

import pytest
from lab.lessons_for_tests import kept_executables

from stagelight.lab.asking import Examiner


@pytest.fixture(scope="module")
def examiner(tmp_path_factory) -> Iterator[Examiner]:
    """The process that runs programs."""
    with Examiner() as examiner:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in kept_executables(tmp_path_factory.getbasetemp()).items():
                patch.setenv(name, value)
            examiner.start()
        yield examiner
