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


@pytest.mark.parametrize(
    ("siblings", "contract"),
    [
        ("attribution/causes", "Causes, advisories and failures"),
        ("attribution/advisories", "Causes, advisories and failures"),
        ("lint/rules", "Rules"),
        ("bucketing/families", "Primitive families"),
    ],
)
def test_an_import_between_siblings_that_stand_alone_fails(tmp_path: Path, siblings: str, contract: str):
    package = copy_to(tmp_path)
    folder = package / siblings
    first, second = sorted(path for path in folder.glob("*.py") if path.stem not in {"__init__", "registry"})[:2]
    with first.open("a") as file:
        file.write(f"\nimport stagelight.{siblings.replace('/', '.')}.{second.stem}\n")
    outcome = run_tool("lint-imports", "--no-cache", folder=tmp_path)
    assert outcome.returncode == 1
    assert f"{contract} do not import each other BROKEN" in outcome.stdout


def test_a_cycle_within_a_room_fails(tmp_path: Path):
    package = copy_to(tmp_path)
    (package / "model" / "hen.py").write_text("import stagelight.model.egg\n")
    (package / "model" / "egg.py").write_text("import stagelight.model.hen\n")
    outcome = run_tool("lint-imports", "--no-cache", folder=tmp_path)
    assert outcome.returncode == 1
    assert "No cycles are allowed in stagelight.model" in outcome.stdout
