"""Every example in a docstring of the package runs; one process for all, since each would load JAX anew."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from gates.tree import ROOT, SOURCE

RUN = """
import contextlib, doctest, importlib, io, json, sys
outcomes = {}
for name in sys.argv[1:]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        module = importlib.import_module(name)
        outcome = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    outcomes[name] = (outcome.attempted, outcome.failed, said.getvalue())
print(json.dumps(outcomes))
"""


def module_name(path: Path) -> str:
    """The dotted name of a module of the package."""
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


modules = sorted(module_name(path) for path in SOURCE.rglob("*.py") if re.search(r"^ +>>> ", path.read_text(), re.M))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, tuple[int, int, str]]:
    """Module → examples attempted, failed, and what doctest printed."""
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
    command = [sys.executable, "-c", RUN, *modules]
    folder = tmp_path_factory.mktemp("examples")
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("module", modules)
def test_examples_run(module: str, outcomes):
    attempted, failed, said = outcomes[module]
    assert attempted, "no example was found"
    assert not failed, said
