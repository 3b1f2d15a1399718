"""What to ask the examiner: for a lesson's program, and for a repair."""

from collections.abc import Sequence
from pathlib import Path

from stagelight.lab.course import stem_of
from stagelight.model.examination import Asked, FigureAsked, Piece, Request
from stagelight.model.lesson import Exercise, Lesson, Step

PROGRAM = "program.py"
PROGRAM_LIMIT_S = 60.0
REPAIR_LIMIT_S = 20.0


def pieces_of(lesson: Lesson) -> tuple[Piece, ...]:
    """The lesson's program, step after step, as it grows in one file."""
    pieces: list[Piece] = []
    line = 1
    parts: tuple[tuple[str, Sequence[Step]], ...] = (
        ("build", lesson.build),
        ("run", lesson.run),
        ("experiment", lesson.experiment),
    )
    for role, steps in parts:
        for step in steps:
            pieces.append(Piece(role=role, code=step.code, line=line))
            line += step.code.count("\n") + 1
    return tuple(pieces)


def source_of(pieces: Sequence[Piece]) -> str:
    """The file that some pieces make, a blank line between them."""
    return "\n".join(piece.code for piece in pieces)


def program_request(lesson: Lesson, folder: Path, *, time_limit_s: float = PROGRAM_LIMIT_S) -> Request:
    """Run the lesson's program, with every question that it answers.

    Args:
        lesson: The lesson.
        folder: Where the program stands.
        time_limit_s: How long it may take.
    """
    figures = [
        FigureAsked(function=name, call=figure.call)
        for figure in lesson.figures
        if figure.kind == "binding-times"
        for name in figure.functions
    ]
    return Request(
        file=str(folder / PROGRAM),
        folder=str(folder),
        pieces=pieces_of(lesson),
        questions=tuple(Asked(id=q.id, expression=q.observed) for q in (*lesson.predictions, *lesson.checkpoints)),
        figures=tuple(figures),
        time_limit_s=time_limit_s,
    )


def repair_request(
    lesson: Lesson, exercise: Exercise, source: str, file: Path, *, time_limit_s: float = REPAIR_LIMIT_S
) -> Request:
    """Run a repair, and then the exercise's check.

    Args:
        lesson: The lesson.
        exercise: The exercise.
        source: Text of the repair.
        file: Where it stands.
        time_limit_s: How long both may take.
    """
    return Request(
        file=str(file),
        folder=str(file.parent),
        pieces=(Piece(role="file", code=source),),
        check=exercise.check,
        # A name that counts as typed in: then calls that the check makes are counted like the program's own.
        check_file=f"<cell check of {stem_of(lesson)}/{exercise.name}>",
        time_limit_s=time_limit_s,
    )
