"""From a project's Markdown to a project."""

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from stagelight.errors import LabError, LessonError
from stagelight.lab.course import course, lesson_called
from stagelight.lab.lesson_reading import mutant_from, record_from
from stagelight.lab.lesson_text import PROSE, blocks_of, front_matter, toml_from
from stagelight.model.lesson import Block, Lesson
from stagelight.model.project import Project, Stage

STAGE_ROLES = {"stage": "toml", "check": "python", "wrong": "python", "hint": "text"}
TEXT_ROLES = {"starter": "python", "solution": "python"}


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """The front matter of a project."""

    name: str
    title: str
    minutes: int
    hardware: str
    rows: tuple[str, ...]


def project_files() -> tuple[Path, ...]:
    """The shipped projects' files."""
    folder = Path(str(files("stagelight.lab"))) / "project"
    return tuple(sorted(folder.glob("*.md")))


def projects() -> tuple[Project, ...]:
    """The shipped projects."""
    return tuple(project_from_file(path) for path in project_files())


def project_called(name: str) -> Project:
    """A shipped project by its name.

    Raises:
        LabError: There is none.
    """
    known = {project.name: project for project in projects()}
    if name not in known:
        message = f"there is no project {name!r}; there is {', '.join(known) or 'none'}"
        raise LabError(message)
    return known[name]


def shipped_called(names: Sequence[str]) -> list[Lesson | Project]:
    """Shipped lessons and projects by what they are called; all of them where nothing is named.

    Raises:
        LabError: There is none of that name, or several lessons.
    """
    known = {project.name: project for project in projects()}
    if not names:
        return [*course(), *known.values()]
    return [known[name] if name in known else lesson_called(name) for name in names]


def project_from_file(path: Path) -> Project:
    """Read a project.

    Raises:
        LessonError: It cannot be read as one; the message names file and line.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}"
        raise LessonError(message) from None
    table, skipped = front_matter(text, path.name)
    opening: Opening = record_from(table, Opening, path.name, 1)
    blocks = blocks_of(text, path.name, skipped)
    sections = list(dict.fromkeys(block.section for block in blocks if block.section))
    head = [block for block in blocks if not block.section]
    return Project(
        **msgspec.structs.asdict(opening),
        digest=hashlib.sha256(text.encode()).hexdigest(),
        problem="\n\n".join(block.text for block in head if block.role == PROSE),
        **{role: _only(head, role, path.name).text for role in TEXT_ROLES},
        stages=tuple(
            _stage(number, title, [block for block in blocks if block.section == title], path.name)
            for number, title in enumerate(sections, start=1)
        ),
    )


def _only(blocks: Sequence[Block], role: str, file: str) -> Block:
    found = [block for block in blocks if block.role == role]
    if len(found) != 1:
        where = f" under {blocks[0].section!r}" if blocks and blocks[0].section else " before the first heading"
        message = f"{file}: there is one block `{role}`{where}, not {len(found)}"
        raise LessonError(message)
    return found[0]


def _stage(number: int, title: str, blocks: Sequence[Block], file: str) -> Stage:
    for block in blocks:
        if block.role != PROSE and STAGE_ROLES.get(block.role) != block.language:
            message = f"{file}:{block.line - 1}: a stage has no block ```{block.language} {block.role}"
            raise LessonError(message)
    head = _only(blocks, "stage", file)
    table: dict[str, Any] = toml_from(head.text, file, head.line)
    parts = {
        "number": number,
        "title": title,
        "task": "\n\n".join(block.text for block in blocks if block.role == PROSE),
        "check": _only(blocks, "check", file).text,
        "mutants": tuple(mutant_from(block, file) for block in blocks if block.role == "wrong"),
        "hints": tuple(block.text.strip() for block in blocks if block.role == "hint"),
        "line": head.line,
    }
    return record_from({**table, **parts}, Stage, file, head.line)
