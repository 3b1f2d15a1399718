"""A lesson's Markdown split into front matter and blocks: headings, prose, and fenced blocks with a role."""

import re
import tomllib
from typing import Any

from stagelight.errors import LessonError
from stagelight.model.lesson import Block

_FENCE = re.compile(r"^```(?P<words>[^`]*)$")
_HEADING = re.compile(r"^## (?P<title>.+?)\s*$")

PROSE = "prose"
SHOWN = "shown"


def front_matter(text: str, file: str) -> tuple[dict[str, Any], int]:
    """The TOML between the two ``+++`` lines, and the number of lines up to and with the second.

    Raises:
        LessonError: There is none, or it is not TOML.
    """
    lines = text.splitlines()
    if not lines or lines[0].strip() != "+++" or "+++" not in [line.strip() for line in lines[1:]]:
        message = f"{file}:1: a lesson begins with TOML between two lines of +++"
        raise LessonError(message)
    end = next(number for number, line in enumerate(lines[1:], start=1) if line.strip() == "+++")
    return toml_from("\n".join(lines[1:end]), file, 2), end + 1


def toml_from(text: str, file: str, line: int) -> dict[str, Any]:
    """A TOML table that begins on a line of the lesson.

    Raises:
        LessonError: It is not TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = f"{file}:{line}: this is not TOML: {error}"
        raise LessonError(message) from None


def blocks_of(text: str, file: str, skipped: int) -> tuple[Block, ...]:
    """Everything after the front matter, in order.

    Args:
        text: The whole lesson.
        file: Its name, for messages.
        skipped: Lines of the front matter.

    Raises:
        LessonError: A fenced block does not end.
    """
    section, found, prose = "", list[Block](), list[str]()
    lines = text.splitlines()
    began, number = skipped + 1, skipped
    while number < len(lines):
        line, number = lines[number], number + 1
        heading, fence = _HEADING.match(line), _FENCE.match(line)
        if not heading and not fence:
            prose.append(line)
            continue
        _end_prose(found, prose, section, began)
        if heading:
            section = heading["title"]
        else:
            end = _end_of_fence(lines, number, file)
            found.append(_fenced(fence["words"].split() if fence else [], lines[number:end], section, number + 1))
            number = end + 1
        began = number + 1
    _end_prose(found, prose, section, began)
    return tuple(found)


def _end_prose(found: list[Block], prose: list[str], section: str, began: int) -> None:
    text = "\n".join(prose).strip()
    if text:
        found.append(Block(section=section, role=PROSE, text=text, line=began))
    prose.clear()


def _end_of_fence(lines: list[str], begin: int, file: str) -> int:
    for number in range(begin, len(lines)):
        if lines[number].rstrip() == "```":
            return number
    message = f"{file}:{begin}: this block has no closing ```"
    raise LessonError(message)


def _fenced(words: list[str], lines: list[str], section: str, line: int) -> Block:
    language, role, *arguments = [*words, "", ""][: max(2, len(words))]
    text = "\n".join(lines).rstrip() + "\n"
    return Block(
        section=section, role=role or SHOWN, language=language, arguments=tuple(arguments), text=text, line=line
    )
