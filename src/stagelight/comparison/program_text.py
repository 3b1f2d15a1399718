"""StableHLO as lines without source locations, each with the place that it comes from.

Follows MLIR's textual form ("Location Attributes" of the builtin dialect): a line ends with ``loc(#loc7)``, and the
aliases stand at the start or end of the file.
"""

import re
from functools import cached_property

_ALIAS = re.compile(r"(#loc\d*) = loc\((.*)\)$")
_REFERENCE = re.compile(r"#loc\d*\b")
_NAMED = re.compile(r'"((?:[^"\\]|\\.)*)"\((#loc\d*)\)$')
_FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
_ARGUMENT = re.compile(r'"((?:[^"\\]|\\.)*)"$')
_CALL_SITE = re.compile(r"callsite\((#loc\d*) at (#loc\d*)\)$")
_START = " loc("
_DEEPEST = 100


class ProgramText:
    """One kept program.

    Args:
        text: The file's text.
    """

    def __init__(self, text: str):
        self._aliases: dict[str, str] = {}
        self.lines: list[str] = []
        self.numbers: list[int] = []
        self._locations: list[str] = []
        for number, line in enumerate(text.splitlines(), start=1):
            alias = _ALIAS.match(line)
            if alias is not None:
                self._aliases[alias[1]] = alias[2]
            elif line.strip():
                code, location = split_locations(line)
                self.lines.append(code)
                self._locations.append(location)
                self.numbers.append(number)

    def operation(self, index: int) -> str:
        """Name of the operation of a line, ``jit(step)/dot_general``, or of the argument; else empty."""
        location = self._followed(self._locations[index])
        found = _NAMED.match(location) or _ARGUMENT.match(location)
        return found[1] if found is not None else ""

    def place(self, index: int) -> str:
        """File and line that a line comes from, innermost; else empty."""
        location = self._locations[index]
        for _ in range(_DEEPEST):
            location = self._followed(location)
            file = _FILE.match(location)
            if file is not None:
                return f"{file[1]}:{file[2]}"
            inner = _CALL_SITE.match(location) or _NAMED.match(location)
            if inner is None:
                return ""
            location = inner[inner.lastindex or 1] if location.startswith('"') else inner[1]
        return ""

    @cached_property
    def origins(self) -> list[str]:
        """For each line its location written out, every alias in its place once."""
        return [self._written_out(location) for location in self._locations]

    def _followed(self, location: str) -> str:
        return self._aliases.get(location, location)

    def _written_out(self, location: str) -> str:
        for _ in range(_DEEPEST):
            written = _REFERENCE.sub(lambda found: self._aliases.get(found[0], ""), location)
            if written == location:
                break
            location = written
        return location


def split_locations(line: str) -> tuple[str, str]:
    """A line without its locations, and the last of them.

    >>> split_locations('  %0 = stablehlo.sine %arg0 : tensor<3xf32> loc(#loc7)')
    ('  %0 = stablehlo.sine %arg0 : tensor<3xf32>', '#loc7')
    """
    kept: list[str] = []
    location, at = "", 0
    while (start := line.find(_START, at)) >= 0:
        end = _end_of_parenthesis(line, start + len(_START))
        kept.append(line[at:start])
        location = line[start + len(_START) : end - 1]
        at = end
    return "".join([*kept, line[at:]]), location


def _end_of_parenthesis(line: str, at: int) -> int:
    """Just after the parenthesis that closes; texts in quotes may hold any."""
    depth, is_quoted = 1, False
    while at < len(line) and depth:
        character = line[at]
        if is_quoted:
            at += character == "\\"
            is_quoted = character != '"'
        elif character == '"':
            is_quoted = True
        else:
            depth += (character == "(") - (character == ")")
        at += 1
    return at
