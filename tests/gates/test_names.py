"""Names of files and what they may hold: no drawers for odds and ends, no module that hides a public function."""

import re
from pathlib import Path

from gates.tree import ROOT, SOURCE

import stagelight

DRAWERS = {"core", "utils", "util", "common", "helpers", "helper", "base", "misc"}
MOST_LINES = 500

python_files = sorted(
    path
    for folder in ("src", "tests", "bench", "examples", "scripts", "docs")
    for path in (ROOT / folder).rglob("*.py")
    if "_build" not in path.parts
)


def hidden_functions(modules: set[str], public_names: set[str]) -> set[str]:
    """Public functions that a module of the same folder would hide once it is imported."""
    return modules & public_names


def names_in(folder: Path) -> set[str]:
    """Names of the modules and packages directly in a folder."""
    return {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}


def test_no_module_of_the_package_root_has_the_name_of_a_public_function():
    assert not hidden_functions(names_in(SOURCE), set(stagelight.__all__))


def test_no_room_has_a_module_named_like_a_public_function_that_it_provides():
    homes = stagelight._ROOM_OF_NAME.items()
    assert [home for name, home in homes if home.endswith(f".{name}")] == []


def test_that_test_sees_a_module_that_hides_a_function():
    assert hidden_functions({"recorder", "watch"}, {"watch", "why"}) == {"watch"}


def test_the_architecture_names_every_room_and_no_other():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    table = text[text.index("| room |") : text.index("## How a miss")].strip().splitlines()[2:]
    rooms = {name for row in table for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert rooms == {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}


def test_no_file_is_a_drawer_for_odds_and_ends():
    assert [path for path in python_files if path.stem in DRAWERS] == []


def test_no_file_is_too_long():
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in python_files}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}
