"""From a lesson's blocks to a lesson: what each role holds, and where it may stand."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from stagelight.errors import LessonError
from stagelight.lab.lesson_text import PROSE, SHOWN, blocks_of, front_matter, toml_from
from stagelight.model.lesson import Block, Exercise, FigureWanted, Lesson, Mutant, Question, Step

SECTIONS = ("Idea", "Predict", "Build", "Run", "Experiment", "Repair", "Checkpoint", "Evidence")

# Role → the language of its fence and the section that it belongs to.
ROLES = {
    "prediction": ("toml", "Predict"),
    "build": ("python", "Build"),
    "run": ("python", "Run"),
    "experiment": ("python", "Experiment"),
    "exercise": ("toml", "Repair"),
    "starter": ("python", "Repair"),
    "solution": ("python", "Repair"),
    "check": ("python", "Repair"),
    "wrong": ("python", "Repair"),
    "hint": ("text", "Repair"),
    "checkpoint": ("toml", "Checkpoint"),
    "figure": ("toml", "Evidence"),
}
OF_EXERCISE = ("starter", "solution", "check", "wrong", "hint")
MORE_THAN_ONE = ("wrong", "hint")


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """The front matter of a lesson."""

    name: str
    title: str
    level: str
    minutes: int
    hardware: str
    rows: tuple[str, ...]
    prerequisites: tuple[str, ...] = ()


def lesson_from_file(path: Path) -> Lesson:
    """Read a lesson.

    Args:
        path: ``NN-name.md``.

    Raises:
        LessonError: It cannot be read as a lesson.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}"
        raise LessonError(message) from None
    return lesson_from_text(text, path.name)


def lesson_from_text(text: str, file: str) -> Lesson:
    """Read a lesson's text.

    Args:
        text: The Markdown.
        file: The file's name, which holds number and name.

    Raises:
        LessonError: A part is missing, unknown or misplaced; the message names file and line.
    """
    table, skipped = front_matter(text, file)
    blocks = blocks_of(text, file, skipped)
    opening = record_from(table, Opening, file, 1)
    number, _, name = file.removesuffix(".md").partition("-")
    if not number.isdigit() or name != opening.name:
        message = f"{file}:1: the file is called NN-NAME.md with the name of its front matter, {opening.name!r}"
        raise LessonError(message)
    _check_places(blocks, file)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Lesson(
        **msgspec.structs.asdict(opening),
        number=int(number),
        digest=digest,
        words=sum(len(b.text.split()) for b in blocks if b.role == PROSE),
        problem=_problem(blocks, file),
        idea=_prose(blocks, "Idea"),
        predictions=_questions(blocks, "prediction", file),
        build=_steps(blocks, "build"),
        run=_steps(blocks, "run"),
        experiment=_steps(blocks, "experiment"),
        exercises=_exercises(blocks, file),
        checkpoints=_questions(blocks, "checkpoint", file),
        figures=_figures(blocks, file),
        blocks=blocks,
    )


def _check_places(blocks: Sequence[Block], file: str) -> None:
    seen = list(dict.fromkeys(block.section for block in blocks if block.section))
    if seen != [title for title in SECTIONS if title in seen] or len(seen) != len(SECTIONS):
        message = f"{file}: a lesson has the sections {', '.join(SECTIONS)}, in this order, not {', '.join(seen)}"
        raise LessonError(message)
    for block in blocks:
        if block.role in (PROSE, SHOWN):
            continue
        language, section = ROLES.get(block.role, ("", ""))
        if (block.language, block.section) != (language, section):
            where = f"{file}:{block.line - 1}: a block ```{block.language} {block.role} under {block.section!r}"
            known = f"stands under {section!r} as ```{language} {block.role}" if language else _known_roles()
            message = f"{where}: it {known}"
            raise LessonError(message)


def _known_roles() -> str:
    return f"has none of the roles {', '.join(ROLES)}"


def record_from(table: dict[str, Any], kind: type, file: str, at: int) -> Any:
    """A table as a record.

    Raises:
        LessonError: A field is missing or of another type.
    """
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        message = f"{file}:{at}: {error}"
        raise LessonError(message) from None


def _table(block: Block, kind: type, file: str, **more: object) -> Any:
    table = toml_from(block.text, file, block.line)
    unknown = set(table) - {field.name for field in msgspec.structs.fields(kind)}
    if unknown:
        message = f"{file}:{block.line}: a {block.role} has no {', '.join(sorted(unknown))}"
        raise LessonError(message)
    return record_from({**table, **more, "line": block.line}, kind, file, block.line)


def _problem(blocks: Sequence[Block], file: str) -> str:
    first = blocks[0] if blocks else None
    if first is None or first.role != PROSE or first.section:
        message = f"{file}: the lesson's problem, one paragraph, stands before its first heading"
        raise LessonError(message)
    return first.text


def _prose(blocks: Sequence[Block], section: str) -> str:
    return "\n\n".join(block.text for block in blocks if block.section == section and block.role == PROSE)


def _questions(blocks: Sequence[Block], role: str, file: str) -> tuple[Question, ...]:
    return tuple(_table(block, Question, file) for block in blocks if block.role == role)


def _figures(blocks: Sequence[Block], file: str) -> tuple[FigureWanted, ...]:
    return tuple(_table(block, FigureWanted, file) for block in blocks if block.role == "figure")


def _steps(blocks: Sequence[Block], role: str) -> tuple[Step, ...]:
    """Each block of the role, with the prose directly before it."""
    steps: list[Step] = []
    before: Block | None = None
    for block in blocks:
        if block.role == role:
            has_note = before is not None and before.role == PROSE and before.section == block.section
            steps.append(Step(note=before.text if before and has_note else "", code=block.text, line=block.line))
        before = block
    return tuple(steps)


def _exercises(blocks: Sequence[Block], file: str) -> tuple[Exercise, ...]:
    groups: list[list[Block]] = []
    for block in blocks:
        if block.role == "exercise":
            groups.append([block])
        elif block.role in OF_EXERCISE or (block.role == PROSE and block.section == "Repair" and groups):
            if not groups:
                message = f"{file}:{block.line}: a {block.role} stands before any ```toml exercise"
                raise LessonError(message)
            groups[-1].append(block)
    return tuple(_exercise(group, file) for group in groups)


def _exercise(group: Sequence[Block], file: str) -> Exercise:
    head = group[0]
    parts: dict[str, list[Block]] = {}
    for block in group[1:]:
        parts.setdefault(block.role, []).append(block)
    for role in OF_EXERCISE[:3]:
        if len(parts.get(role, [])) != 1:
            message = f"{file}:{head.line}: an exercise has one ```python {role}, not {len(parts.get(role, []))}"
            raise LessonError(message)
    return _table(
        head,
        Exercise,
        file,
        task="\n\n".join(block.text for block in parts.get(PROSE, [])),
        **{role: parts[role][0].text for role in OF_EXERCISE[:3]},
        mutants=tuple(mutant_from(block, file) for block in parts.get("wrong", [])),
        hints=tuple(block.text.strip() for block in parts.get("hint", [])),
    )


def mutant_from(block: Block, file: str) -> Mutant:
    """A wrong repair with the name that its fence gives it.

    Raises:
        LessonError: The fence names none.
    """
    if not 1 <= len(block.arguments) <= 2:
        message = f"{file}:{block.line - 1}: a wrong repair is named: ```python wrong NAME [KIND-OF-VERDICT]"
        raise LessonError(message)
    name, rejected_as = (*block.arguments, "")[:2]
    return Mutant(name=name, rejected_as=rejected_as, code=block.text, line=block.line)
