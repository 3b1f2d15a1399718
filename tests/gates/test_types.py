"""pyright checks the floors without JAX strictly, and is seen to fail."""

import sys
from pathlib import Path

import pytest
from gates.tree import copy_to, run_tool

pytest.importorskip("pyright")


def test_an_untyped_function_on_the_lowest_floor_fails(tmp_path: Path):
    package = copy_to(tmp_path)
    (package / "model" / "astray.py").write_text('"""Text."""\n\n\ndef twice(value):\n    return value + value\n')
    outcome = run_tool("pyright", "--pythonpath", sys.executable, folder=tmp_path)
    assert outcome.returncode == 1, outcome.stdout + outcome.stderr
    assert "astray.py:4:11" in outcome.stdout
    assert 'annotation is missing for parameter "value"' in outcome.stdout
