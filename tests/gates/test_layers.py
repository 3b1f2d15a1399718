"""import-linter keeps the floors, and is seen to fail."""

from pathlib import Path

import pytest
from gates.tree import ROOT, copy_to, run_tool

pytest.importorskip("importlinter")


def test_the_tree_keeps_its_floors():
    outcome = run_tool("lint-imports", "--no-cache", folder=ROOT)
    assert outcome.returncode == 0, outcome.stdout


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("model", "import stagelight.cli.entry"),
        ("model", "from stagelight.attribution import causes"),
        ("attribution", "import stagelight.report"),
        ("attribution", "import stagelight.lint"),
        ("adapters", "import stagelight.recorder"),
    ],
)
def test_an_import_that_does_not_go_down_fails(tmp_path: Path, room: str, line: str):
    package = copy_to(tmp_path)
    (package / room / "astray.py").write_text(line + "\n")
    outcome = run_tool("lint-imports", "--no-cache", folder=tmp_path)
    assert outcome.returncode == 1
    assert f"stagelight.{room}.astray" in outcome.stdout


def test_a_room_that_is_on_no_floor_fails(tmp_path: Path):
    package = copy_to(tmp_path)
    (package / "attic").mkdir()
    (package / "attic" / "__init__.py").write_text("")
    outcome = run_tool("lint-imports", "--no-cache", folder=tmp_path)
    assert outcome.returncode == 1
    assert "attic" in outcome.stdout
