"""A project's program in parts, as the cells of a notebook hold them: what comes before the stages, then each stage."""

import itertools
import re
from collections.abc import Sequence

from stagelight.errors import LessonError
from stagelight.model.project import Project

# Empty lines between two parts.
GAP = 2
_MARK = re.compile(r"^# Stage (?P<number>\d+):.*$", re.MULTILINE)


def parts_of(project: Project, source: str, what: str) -> tuple[str, ...]:
    """The text before the first line ``# Stage 1:``, and then the text of each stage, that line included.

    Args:
        project: The project.
        source: Its starter or its solution.
        what: What the source is called in a message.

    Raises:
        LessonError: A stage has no such line, or they are not in the order of the stages.

    Example:
        >>> from stagelight.lab.project_reading import project_called
        >>> project = project_called("transforms-audit")
        >>> [part.partition(":")[0] for part in parts_of(project, project.starter, "starter")[1:]]
        ['# Stage 1', '# Stage 2', '# Stage 3', '# Stage 4']
    """
    marks = list(_MARK.finditer(source))
    found = [int(mark["number"]) for mark in marks]
    wanted = [stage.number for stage in project.stages]
    if found != wanted:
        message = f"the {what} has lines `# Stage N:` for {found}, and the stages are {wanted}: cells are cut at them"
        raise LessonError(message)
    ends = [*(mark.start() for mark in marks), len(source)]
    return (source[: ends[0]], *(source[start:end] for start, end in itertools.pairwise(ends)))


def place_of(parts: Sequence[str], line: int) -> tuple[int, int]:
    """Which part of a joined program a line is of, and which line of that part's own text.

    >>> place_of(["x = 1\\n", "\\ny = 2\\nz = 3\\n"], 5)
    (1, 3)
    """
    start = 1
    for number, part in enumerate(parts):
        lines = part.strip("\n").count("\n") + 1 + GAP
        if line < start + lines or number == len(parts) - 1:
            before = len(part) - len(part.lstrip("\n"))
            return number, line - start + 1 + before
        start += lines
    return 0, line


def joined(parts: Sequence[str]) -> str:
    """The program that some parts make, two empty lines between them.

    >>> joined(["x = 1\\n", "y = 2"])
    'x = 1\\n\\n\\ny = 2\\n'
    """
    return ("\n" * (GAP + 1)).join(part.strip("\n") for part in parts) + "\n"
