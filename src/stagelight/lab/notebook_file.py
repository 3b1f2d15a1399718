"""A lesson as a Jupyter notebook and as a Python file, from the same text as its page."""

import json
from collections.abc import Sequence
from typing import Any

from stagelight.lab.answers import WANTED
from stagelight.lab.lesson_text import PROSE, SHOWN
from stagelight.model.lesson import Exercise, Lesson, Question

LOAD = "%load_ext stagelight.lab.magics\n%lesson {number}"
EVIDENCE = '%receipt "in your own words: what decided what was seen?"'


def notebook_text(lesson: Lesson, *, is_solved: bool = False, keys: dict[str, str] | None = None) -> str:
    """The lesson as a notebook, nbformat 4.5.

    Args:
        lesson: The lesson.
        is_solved: Put the reference solutions where the starters would be.
        keys: Answers to fill in, by question.
    """
    return notebook_of(_parts(lesson, is_solved, keys or {}))


def notebook_of(parts: Sequence[tuple[str, str]]) -> str:
    """A notebook from its cells.

    Args:
        parts: ``markdown`` or ``code``, and the text.
    """
    cells = [_cell(index, kind, text) for index, (kind, text) in enumerate(parts)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1) + "\n"


def _cell(index: int, kind: str, text: str) -> dict[str, Any]:
    lines = text.rstrip("\n").splitlines(keepends=True)
    cell: dict[str, Any] = {"cell_type": kind, "id": f"part-{index}", "metadata": {}, "source": lines}
    return {**cell, "execution_count": None, "outputs": []} if kind == "code" else cell


def _parts(lesson: Lesson, is_solved: bool, keys: dict[str, str]) -> list[tuple[str, str]]:
    parts = [("markdown", f"# {lesson.title}\n\n{lesson.problem}"), ("code", LOAD.format(number=lesson.number))]
    section = ""
    exercise: Exercise | None = None
    for block in lesson.blocks[1:]:
        if block.section != section:
            section = block.section
            parts.append(("markdown", f"## {section}"))
            if section == "Predict":
                parts.append(("code", _question_cell("predict", lesson.predictions, keys)))
            elif section == "Checkpoint":
                parts.append(("code", _question_cell("checkpoint", lesson.checkpoints, keys)))
        if block.role == PROSE:
            parts.append(("markdown", block.text))
        elif block.role == SHOWN:
            parts.append(("markdown", f"```{block.language}\n{block.text}```"))
        elif block.role in ("build", "experiment"):
            parts.append(("code", block.text))
        elif block.role == "run":
            parts.append(("code", f"%%observe\n{block.text}"))
        elif block.role == "exercise":
            exercise = next(one for one in lesson.exercises if one.line == block.line)
            parts.append(("markdown", f"### {exercise.name} ({exercise.level})"))
        elif block.role == "starter" and exercise is not None:
            text = exercise.solution if is_solved else exercise.starter
            parts.append(("code", f"%%repair {exercise.name}\n{text}"))
            parts.append(("markdown", f"For a hint, run `%hint {exercise.name}` in a cell of its own."))
    return [*parts, ("code", EVIDENCE)]


def _question_cell(magic: str, questions: tuple[Question, ...], keys: dict[str, str]) -> str:
    lines = [f"%%{magic}"]
    for question in questions:
        choices = f"  [{' | '.join(question.choices) or WANTED[question.kind]}]"
        lines += [f"# {question.question}{choices}", f"{question.id} = {keys.get(question.id, '')}".rstrip()]
    return "\n".join(lines) + "\n"


def python_text(lesson: Lesson) -> str:
    """The lesson's program as a Python file that runs, its prose as comments in cells.

    Args:
        lesson: The lesson.
    """
    parts = [f"# %% [markdown]\n{commented(f'# {lesson.title}' + chr(10) * 2 + lesson.problem)}"]
    for block in lesson.blocks[1:]:
        if block.section not in ("Idea", "Build", "Run", "Experiment"):
            continue
        if block.role == PROSE:
            parts.append(f"# %% [markdown]\n{commented(block.text)}")
        elif block.role in ("build", "run", "experiment"):
            parts.append(f"# %%\n{block.text.rstrip()}")
    parts.append(f"# %% [markdown]\n{commented('Go on with: stagelight learn go ' + str(lesson.number))}")
    return "\n\n".join(parts) + "\n"


def commented(text: str) -> str:
    """Text as comments of a Python file."""
    return "\n".join(f"# {line}".rstrip() for line in text.splitlines())
