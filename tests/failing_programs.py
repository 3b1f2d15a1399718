"""Read the programs of ``tests/fixtures/failing`` together with what is expected of each."""

import dataclasses
import importlib.util
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).parent / "fixtures" / "failing"
_CALL = re.compile(r"^# call: (.+)$")
_ERROR = re.compile(r"# error: \[(?P<slug>[a-z-]+)\] `(?P<expression>.+)` from (?P<arguments>.+)$")


@dataclasses.dataclass(frozen=True)
class FailingProgram:
    """One call, and where and why it must fail."""

    name: str
    path: pathlib.Path
    call: str
    slug: str
    line: int
    expression: str
    arguments: tuple[str, ...]


def _programs_of(path):
    errors, calls = [], []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if found := _CALL.match(text):
            calls.append((number, found[1]))
        if found := _ERROR.search(text):
            errors.append((number, found))
    assert len(calls) == len(errors), path
    for (_, call), (line, found) in zip(calls, errors, strict=True):
        arguments = () if found["arguments"] == "nothing" else tuple(found["arguments"].split(", "))
        name = f"{path.stem}:{call.split('(')[0]}"
        yield FailingProgram(name, path, call, found["slug"], line, found["expression"], arguments)


def failing_programs():
    """All programs, in the order of their files."""
    return [p for path in sorted(FOLDER.glob("*.py")) for p in _programs_of(path)]


def module_of(program):
    """A fresh import of the program's module."""
    name = f"failing_{program.path.stem}"
    found = importlib.util.spec_from_file_location(name, program.path)
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module
