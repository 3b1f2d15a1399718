"""Every example in a docstring of the package runs, module by module in its own process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gates.tree import ROOT, SOURCE

RUN = """
import doctest, importlib, sys
module = importlib.import_module(sys.argv[1])
outcome = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
assert outcome.attempted, "no example was found"
sys.exit(bool(outcome.failed))
"""

modules = sorted(
    path for path in SOURCE.rglob("*.py") if "\n    >>> " in path.read_text().replace("        >>> ", "    >>> ")
)


def module_name(path: Path) -> str:
    """The dotted name of a module of the package."""
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", modules, ids=module_name)
def test_examples_run(path: Path, tmp_path: Path):
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
    command = [sys.executable, "-c", RUN, module_name(path)]
    outcome = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
