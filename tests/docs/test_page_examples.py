"""Every Python example of the documentation runs, page by page in its own process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from docs.page_examples import blocks_of
from gates.tree import ROOT

pages = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    if "_build" not in path.parts and blocks_of(path.read_text())
)


def run_examples(path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a page's examples in a fresh process whose working folder is ``folder``."""
    runner = ROOT / "tests" / "docs" / "page_examples.py"
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
    command = [sys.executable, str(runner), str(path)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("page", pages, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_run(page: Path, tmp_path: Path):
    outcome = run_examples(page, tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```python\nassert 1 + 1 == 3\n```\n", "line 2"),
        ("Text.\n\n```python\n>>> 1 + 1\n3\n```\n", "Expected:\n    3\nGot:\n    2"),
        ("```python\nvalue = 1\n```\n\n```{doctest}\n>>> value\n2\n```\n", "Got:\n    1"),
    ],
)
def test_a_wrong_example_fails(tmp_path: Path, text: str, complaint: str):
    page = tmp_path / "page.md"
    page.write_text(text)
    outcome = run_examples(page, tmp_path)
    assert outcome.returncode == 1
    assert complaint in outcome.stdout + outcome.stderr
