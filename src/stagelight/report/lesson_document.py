"""A lesson, part by part, as documents: what a learner reads in a terminal."""

import json
from collections.abc import Mapping, Sequence

from stagelight.model.lesson import Exercise, Lesson, Question, Step
from stagelight.model.receipt import Judged
from stagelight.report.document import (
    Badge,
    Block,
    Code,
    Document,
    KeyValues,
    Line,
    Paragraph,
    Section,
    Source,
    Text,
)
from stagelight.report.prose import prose_blocks, prose_line
from stagelight.report.quantities import counted


def problem_document(lesson: Lesson, total: int) -> Document:
    """Title, problem and idea.

    Args:
        lesson: The lesson.
        total: Number of lessons in the course.
    """
    title = f"Lesson {lesson.number} of {total}: {lesson.title}"
    aside = f"{lesson.level}, {lesson.minutes} minutes"
    blocks: list[Block] = [*prose_blocks(lesson.problem)]
    if lesson.prerequisites:
        blocks.append(Paragraph((Text("After: ", "muted"), Text(", ".join(lesson.prerequisites)))))
    blocks.append(Section(title=(Text("Idea", "strong"),), children=prose_blocks(lesson.idea), level=3))
    head = Section(title=(Text(title, "strong"),), aside=(Text(aside, "muted"),), children=tuple(blocks))
    return Document(title=title, blocks=(head,))


def program_document(lesson: Lesson) -> Document:
    """The program that is predicted."""
    return _section("Program", _step_blocks((*lesson.build, *lesson.run)))


def prediction_document(lesson: Lesson) -> Document:
    """What is asked before anything runs."""
    return _section("Predict", [*_question_rows(lesson.predictions)])


def step_document(step: Step, first_line: int, number: int, total: int) -> Document:
    """One step of the program, with its note and its place in the file."""
    title: Line = (Text(f"Build, step {number} of {total}", "strong"),)
    children = (*prose_blocks(step.note), source_block(step.code, first_line))
    return Document(title="Build", blocks=(Section(title=title, children=children, level=3),))


def noted_document(step: Step, first_line: int) -> Document:
    """One step with its note, without a heading."""
    return Document(title="", blocks=(*prose_blocks(step.note), source_block(step.code, first_line)))


def source_block(code: str, first_line: int = 1) -> Source:
    """Program text with line numbers."""
    return Source(file="", first_line=first_line, lines=tuple(code.rstrip("\n").splitlines()))


def _section(title: str, blocks: Sequence[Block]) -> Document:
    return Document(title=title, blocks=(Section(title=(Text(title, "strong"),), children=tuple(blocks), level=3),))


def _step_blocks(steps: Sequence[Step]) -> list[Block]:
    blocks: list[Block] = []
    line = 1
    for step in steps:
        blocks += [*prose_blocks(step.note), source_block(step.code, line)]
        line += step.code.count("\n") + 1
    return blocks


def _question_rows(questions: Sequence[Question]) -> list[Block]:
    return [KeyValues(tuple((one.id, (question_line(one),)) for one in questions))]


def question_line(question: Question) -> Line:
    """The question, and what may be chosen."""
    line = prose_line(question.question)
    if question.choices:
        choices = "  ".join(f"{number} {text}" for number, text in enumerate(question.choices, start=1))
        line = (*line, Text(f"  [{choices}]", "muted"))
    return line


def judged_document(title: str, judged: Sequence[Judged], reasons: Sequence[Question]) -> Document:
    """Answers beside what JAX did, scored.

    Args:
        title: What was judged.
        judged: Question by question.
        reasons: The questions, for their explanations.
    """
    right = sum(one.agrees for one in judged)
    head: Line = (Text(f"{title}: ", "strong"), Text(f"{right} of {len(judged)} right"))
    why = {one.id: one.why for one in reasons}
    return Document(title=title, blocks=(Paragraph(head), judged_rows(judged, why)))


def judged_rows(judged: Sequence[Judged], why: Mapping[str, str]) -> KeyValues:
    """Each question with its answer and what JAX did, in lines that wrap at any width.

    Args:
        judged: Question by question.
        why: Explanations by question.
    """
    return KeyValues(tuple((one.id, _judged_lines(one, why.get(one.id, ""))) for one in judged))


def _judged_lines(one: Judged, why: str) -> tuple[Line, ...]:
    mark = Badge("right", "good") if one.agrees else Badge("not so", "warn")
    answer: Line = (
        mark,
        Text(" said ", "muted"),
        Code(shown_answer(one.answer)),
        Text(", JAX did ", "muted"),
        Code(shown_answer(one.observed), "strong"),
    )
    return (prose_line(one.question), answer, *([prose_line(why)] if why else []))


def shown_answer(encoded: str) -> str:
    """An answer, kept as JSON, as a learner would type it.

    >>> shown_answer('"shape-changed"'), shown_answer("[1, 2]"), shown_answer("true"), shown_answer("")
    ('shape-changed', '[1, 2]', 'True', '–')
    """
    value = json.loads(encoded) if encoded else "–"
    return value if isinstance(value, str) else repr(value)


def exercise_document(exercise: Exercise, file: str, number: int, total: int) -> Document:
    """What is to be repaired, where, and within which budget."""
    budget = [
        counted(limit, noun)
        for noun, limit in (("trace", exercise.traces), ("compile", exercise.compiles))
        if limit is not None
    ]
    rows: list[tuple[str, tuple[Line, ...]]] = [("file", ((Code(file, "strong"),),))]
    if budget:
        rows.append(("budget", ((Text(f"at most {' and '.join(budget)} of the file's own functions in its run"),),)))
    title: Line = (Text(f"Repair {number} of {total}: {exercise.name}", "strong"),)
    section = Section(
        title=title,
        aside=(Text(exercise.level, "muted"),),
        children=(*prose_blocks(exercise.task), KeyValues(tuple(rows))),
        level=3,
    )
    return Document(title=exercise.name, blocks=(section,))
