"""The questions of a lesson for those who type commands: what is asked, what may be typed, and how."""

from collections.abc import Sequence

import click

from stagelight.lab.answers import WANTED
from stagelight.model.lesson import Question


def tell_questions(questions: Sequence[Question], words: str) -> None:
    """Say what is asked, what may be typed, and how.

    Args:
        questions: The questions.
        words: The command after ``stagelight learn``.
    """
    for question in questions:
        choices = f"one of {', '.join(question.choices)}" if question.choices else WANTED[question.kind]
        click.echo(f"{question.id}: {question.question}\n  {choices}")
    forms = " ".join(f"{question.id}=ANSWER" for question in questions)
    click.echo(f"Answer with: stagelight learn {words} {forms}")
