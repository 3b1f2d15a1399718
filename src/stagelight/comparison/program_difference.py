"""Where two compiled programs of one key first differ, and what the difference comes from."""

import re
from collections import Counter
from collections.abc import Sequence

from stagelight.comparison.program_text import ProgramText
from stagelight.model.program_difference import Origin, ProgramDifference, ProgramLine

MOST_LINES = 3
_LONGEST = 160

# Numbers of values shift with every line before them; those of arguments say which argument is meant.
_VALUE = re.compile(r"%(?!arg\d)[\w.]+(?::\d+)?(?:#\d+)?")
# Constants before names, so that the bytes of a constant, which stand in quotes, are no name.
_CONSTANT_OR_NAME = re.compile(r'(?P<constant>dense(?:_resource)?<(?:"[^"]*"|[^<>"])*>)|@[\w.$-]+|@?"(?:[^"\\]|\\.)*"')

_DETAILS: dict[Origin, str] = {
    "names": "only names differ: of the module, a function, an argument or a result",
    "constants": "only values differ that are written into the program: captured arrays or Python numbers",
    "order": "the same lines in another order: something that has no order of its own, such as a set, was gone through",
    "operations": "the operations differ",
}


def program_difference(
    before: str, after: str, *, module: str = "", digests: tuple[str, str] = ("", "")
) -> ProgramDifference | None:
    """Hold two kept programs against each other; nothing where they are the same to the last location.

    Args:
        before: Text of the program in the first run.
        after: The same in the second run.
        module: Name of the module.
        digests: Under which they are kept.
    """
    old, new = ProgramText(before), ProgramText(after)
    origin, old_texts, new_texts = _origin(old, new)
    if origin is None:
        return None
    start, old_end, new_end = _window(old_texts, new_texts)
    detail = _DETAILS.get(origin) or _location_detail(old, new, start)
    return ProgramDifference(
        module=module,
        origin=origin,
        detail=detail,
        before=_lines(old, new, start, old_end),
        after=_lines(new, old, start, new_end),
        differing=max(old_end, new_end) - start,
        digest_before=digests[0],
        digest_after=digests[1],
    )


def _origin(old: ProgramText, new: ProgramText) -> tuple[Origin | None, Sequence[str], Sequence[str]]:
    """What they differ in, and the texts in which that difference shows."""
    if old.lines == new.lines:
        return ("source locations" if old.origins != new.origins else None), old.origins, new.origins
    if _nameless(old.lines) == _nameless(new.lines):
        return "names", old.lines, new.lines
    if _nameless(old.lines, "dense") == _nameless(new.lines, "dense"):
        return "constants", _nameless(old.lines), _nameless(new.lines)
    plain = [[_VALUE.sub("%", line) for line in program.lines] for program in (old, new)]
    if plain[0] == plain[1]:  # other operands
        return "operations", old.lines, new.lines
    return ("order" if Counter(plain[0]) == Counter(plain[1]) else "operations"), plain[0], plain[1]


def _nameless(lines: Sequence[str], constant: str = "") -> list[str]:
    """Lines without their names; and without their constants, where something is given to stand for them."""

    def masked(found: re.Match[str]) -> str:
        if found["constant"] is None:
            return "@"
        return constant or found["constant"]

    return [_CONSTANT_OR_NAME.sub(masked, line) for line in lines]


def _window(old: Sequence[str], new: Sequence[str]) -> tuple[int, int, int]:
    """First differing index, and the end of the differing lines on each side."""
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    same = 0
    while same < shorter - start and old[len(old) - 1 - same] == new[len(new) - 1 - same]:
        same += 1
    return start, len(old) - same, len(new) - same


def _lines(program: ProgramText, other: ProgramText, start: int, end: int) -> tuple[ProgramLine, ...]:
    return tuple(
        ProgramLine(
            number=program.numbers[index],
            text=text_around_difference(program.lines[index], other.lines[index] if index < len(other.lines) else ""),
            operation=program.operation(index),
            place=program.place(index),
        )
        for index in range(start, min(end, start + MOST_LINES))
    )


def text_around_difference(line: str, other: str, longest: int = _LONGEST) -> str:
    """A line, cut to some characters around where it first differs from another.

    >>> text_around_difference("abcdefghij", "abcdefgXij", 5)
    '…fghij'
    """
    text = line.strip()
    if len(text) <= longest:
        return text
    other = other.strip()
    at = next((i for i, pair in enumerate(zip(text, other, strict=False)) if pair[0] != pair[1]), 0)
    start = max(0, min(at - longest // 2, len(text) - longest))
    return ("…" if start else "") + text[start : start + longest] + ("…" if start + longest < len(text) else "")


def _location_detail(old: ProgramText, new: ProgramText, index: int) -> str:
    before, after = old.place(index), new.place(index)
    if before.rpartition(":")[0] != after.rpartition(":")[0]:
        return "the same operations; only paths of source files differ"
    if before != after:
        return "the same operations; only line numbers differ"
    return "the same operations; only names or places in the source differ"
