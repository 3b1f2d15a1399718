"""Watch one exercise: check its file whenever it is saved, and obey single keys."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import click

from stagelight.errors import LabError
from stagelight.lab.asking import Examiner
from stagelight.lab.checking import check_exercise, next_hint, reset, solution_of
from stagelight.lab.progress_rows import progress_rows
from stagelight.lab.study import Study
from stagelight.lab.terminal_input import END_OF_INPUT, INTERRUPT, pressed_key, single_keys
from stagelight.lab.verdicts import PASSED
from stagelight.model.lesson import Exercise, Lesson
from stagelight.report.document import Document, Paragraph, Text
from stagelight.report.lesson_document import exercise_document, source_block
from stagelight.report.progress_document import progress_document, progress_line
from stagelight.report.terminal import write_terminal
from stagelight.report.verdict_document import verdict_document

type Wish = Literal["next", "quit"]

POLL_S = 0.1
# An editor may take a file away before it writes it: so many looks may find nothing before it is called gone.
LOOKS = 8
CHECKING = "checking …"


class Watch:
    """One exercise in watch mode.

    Args:
        study: The learner's place.
        lesson: The lesson.
        exercise: The exercise.
        examiner: Runs the repair.
    """

    def __init__(self, study: Study, lesson: Lesson, exercise: Exercise, examiner: Examiner) -> None:
        self._study = study
        self._lesson = lesson
        self._exercise = exercise
        self._examiner = examiner
        self._file = study.exercise_file(lesson, exercise)
        self._is_giving_up = False
        self._kind = ""
        self._seen: tuple[int, int] | None = None
        self._looks = 0
        self._keys: dict[str, Callable[[], None]] = {
            "h": self._hint,
            "l": self._list,
            "r": self._reset,
            "s": self._solution,
            "\n": self._check,
            "\r": self._check,
        }

    def run(self) -> Wish:
        """Check at once and at every save, until the learner goes on or stops."""
        self._study.open_lesson(self._lesson)
        with single_keys():
            self._check()
            while True:
                key = pressed_key(POLL_S)
                if key in ("q", END_OF_INPUT, INTERRUPT):
                    return "quit"
                if key == "n":
                    return "next"
                if key in self._keys:
                    self._obey(key)
                else:
                    self._check_if_saved()

    def _obey(self, key: str) -> None:
        was_giving_up, self._is_giving_up = self._is_giving_up, False
        if key == "s" and was_giving_up:
            self._is_giving_up = True
        self._keys[key]()

    def _check_if_saved(self) -> None:
        stamp = stamp_of(self._file)
        self._looks = self._looks + 1 if stamp is None else 0
        if self._looks == LOOKS:
            file = shown_path(self._file)
            click.echo(f"\n{file} is gone. Save it again, or press Enter: it is laid again as it was checked last.")
        if stamp is None or stamp == self._seen:
            return
        time.sleep(POLL_S / 2)  # an editor may empty the file before it writes it
        if stamp_of(self._file) is not None:
            self._check()

    def _check(self) -> None:
        click.clear()
        position = self._lesson.exercises.index(self._exercise) + 1
        file = shown_path(self._file)
        write_terminal(exercise_document(self._exercise, file, position, len(self._lesson.exercises)))
        click.echo()
        click.echo(f"{CHECKING}\r", nl=False)
        before, kind = stamp_of(self._file), self._kind
        try:
            verdict = check_exercise(self._study, self._lesson, self._exercise, self._examiner)
        except LabError as error:
            self._seen, self._kind = before or stamp_of(self._file), ""
            click.echo(str(error))
            return self._key_line()
        click.echo(" " * len(CHECKING) + "\r", nl=False)
        write_terminal(verdict_document(verdict, self._file.name))
        self._kind = verdict.kind
        # What is saved during a check is checked next; a program that does so itself would be checked for ever.
        is_its_own_doing = self._kind == "deleted-workspace" or self._kind == kind == "changed-while-checked"
        self._seen = stamp_of(self._file) if is_its_own_doing else before
        return self._key_line()

    def _key_line(self) -> None:
        watched = (
            "Passed. n goes on"
            if self._kind == PASSED
            else f"Save {shown_path(self._file)} to check it, or press Enter"
        )
        keys = Paragraph((Text("h hint  s solution  r reset  l list  n next  q quit", "muted"),))
        bar = Paragraph(progress_line(progress_rows(self._study)))
        click.echo()
        write_terminal(Document(title="", blocks=(bar, Paragraph((Text(watched),)), keys)))

    def _hint(self) -> None:
        number, text = next_hint(self._study, self._lesson, self._exercise)
        click.echo(f"\nHint {number} of {len(self._exercise.hints)}: {text}")

    def _list(self) -> None:
        click.echo()
        write_terminal(progress_document(progress_rows(self._study), str(self._study.workspace)))

    def _reset(self) -> None:
        reset(self._study, self._lesson, self._exercise)
        self._check()

    def _solution(self) -> None:
        try:
            text = solution_of(self._study, self._lesson, self._exercise, giving_up=self._is_giving_up)
        except LabError:
            click.echo("\nIt has not passed. Press s once more to give up and see it; the receipt will say so.")
            self._is_giving_up = True
            return
        self._is_giving_up = False
        click.echo()
        write_terminal(
            Document(title="Solution", blocks=(Paragraph((Text("Solution", "strong"),)), source_block(text)))
        )


def stamp_of(file: Path) -> tuple[int, int] | None:
    """What changes when a file is saved; None while it is not there."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def shown_path(file: Path) -> str:
    """A path as a learner at this place would write it."""
    try:
        return str(file.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(file)
