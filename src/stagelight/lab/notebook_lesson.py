"""One lesson in a notebook's kernel.

The lesson's own cells run in the kernel under one session; repairs are checked in a child process, exactly as in a
terminal. Both write to the same journal.
"""

import contextlib
import io
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from stagelight.errors import LabError
from stagelight.lab.asking import Examiner
from stagelight.lab.checking import (
    answer_checkpoint,
    check_exercise,
    commit_predictions,
    next_hint,
    record_run,
    solution_of,
)
from stagelight.lab.course import exercise_called
from stagelight.lab.examining import Heard, answered
from stagelight.lab.ledger_view import LedgerView, questions_about
from stagelight.lab.program_run import run_program
from stagelight.lab.receipts import judged_checkpoints, judged_predictions, write_receipt
from stagelight.lab.requests import pieces_of, source_of
from stagelight.lab.shown import Shown
from stagelight.lab.study import Study, write_text
from stagelight.model.examination import Answered, Asked
from stagelight.model.lesson import Lesson
from stagelight.recorder.session import Options, Session
from stagelight.report.lesson_document import judged_document
from stagelight.report.verdict_document import verdict_document


class NotebookLesson:
    """One lesson in one kernel.

    Args:
        shell: IPython's shell.
        study: The learner's place.
        lesson: The lesson.
        examiner: Runs the repairs.
    """

    def __init__(self, shell: Any, study: Study, lesson: Lesson, examiner: Examiner) -> None:
        self.study = study
        self.lesson = lesson
        self.examiner = examiner
        self._shell = shell
        self._folder = tempfile.TemporaryDirectory(prefix="stagelight-notebook-")
        self._session = Session(Path(self._folder.name, "ledger.jsonl"), Options(calls=True, program=("notebook",)))
        self._view = LedgerView(self._session)
        self._session.start()
        self._is_watching = True

    def close(self) -> None:
        """End the session."""
        self._stop()
        self._folder.cleanup()

    def _stop(self) -> None:
        if self._is_watching:
            self._is_watching = False
            self._session.stop()
            self._view.finish()

    def predict(self, line: str, cell: str) -> Any:
        """``%%predict``: commit predictions, one ``id = answer`` a line."""
        if self.study.progress(self.lesson).predicted is not None:
            return print("Predictions are in the journal already, and stand.")
        commit_predictions(self.study, self.lesson, _assigned(cell))
        return print("The predictions are in the journal. Now build and run.")

    def observe(self, line: str, cell: str) -> Any:
        """``%%observe``: run the cell, and hold the predictions against what JAX did."""
        if self.study.progress(self.lesson).predicted is None:
            message = "predict first: fill in the %%predict cell and run it, then run this one"
            raise LabError(message)
        heard = Heard(sys.stdout)
        with contextlib.redirect_stdout(heard):  # pyright: ignore[reportArgumentType]
            outcome = self._shell.run_cell(cell)
        if outcome.error_before_exec or outcome.error_in_exec:
            return None
        functions = self._view.functions()
        self._stop()
        scope = {**self._shell.user_ns, **questions_about(lambda: functions, self._view), "output": heard.text()}
        with contextlib.redirect_stdout(io.StringIO()):  # a key may trace once more, and print
            predicted = [answered(Asked(id=q.id, expression=q.observed), scope) for q in self.lesson.predictions]
        record_run(self.study, self.lesson, source_of(pieces_of(self.lesson)), [*predicted, *self._checkpoint_keys()])
        judged = judged_predictions(self.lesson, self.study.progress(self.lesson))
        return Shown(judged_document("Your predictions", judged, self.lesson.predictions))

    def _checkpoint_keys(self) -> list[Answered]:
        """Keys that are asked for later, from a child: asking for them here would change what the next cells see."""
        found = run_program(self.lesson, self.study.folder(self.lesson), self.examiner)
        wanted = {question.id for question in self.lesson.checkpoints}
        return [one for one in found.answers if one.id in wanted]

    def repair(self, line: str, cell: str) -> Any:
        """``%%repair NAME``: check the cell as the exercise's file."""
        exercise = exercise_called(self.lesson, line.strip())
        write_text(self.study.exercise_file(self.lesson, exercise), cell)
        verdict = check_exercise(self.study, self.lesson, exercise, self.examiner)
        return Shown(verdict_document(verdict, exercise.name))

    def hint(self, line: str) -> Any:
        """``%hint NAME``: the next hint."""
        exercise = exercise_called(self.lesson, line.strip())
        number, text = next_hint(self.study, self.lesson, exercise)
        return print(f"Hint {number} of {len(exercise.hints)}: {text}")

    def solution(self, line: str) -> Any:
        """``%solution NAME [--give-up]``: the reference, after passing or giving up."""
        name, _, more = line.strip().partition(" ")
        exercise = exercise_called(self.lesson, name)
        return print(solution_of(self.study, self.lesson, exercise, giving_up="--give-up" in more.split()))

    def checkpoint(self, line: str, cell: str) -> Any:
        """``%%checkpoint``: answer the questions, one ``id = answer`` a line."""
        answer_checkpoint(self.study, self.lesson, _assigned(cell))
        judged = judged_checkpoints(self.lesson, self.study.progress(self.lesson))
        return Shown(judged_document("Checkpoint", judged, self.lesson.checkpoints))

    def receipt(self, line: str) -> Any:
        """``%receipt TEXT``: write the evidence; the text is the learner's explanation."""
        explanation = " ".join(shlex.split(line)) if line.count('"') % 2 == 0 else line
        return print(f"Wrote {write_receipt(self.study, self.lesson, self.examiner, explanation)}")


def _assigned(cell: str) -> dict[str, str]:
    """Lines of ``id = answer``; comments and empty ones are read over.

    Raises:
        LabError: A line has no ``=``.
    """
    found: dict[str, str] = {}
    for line in cell.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, separator, answer = line.partition("=")
        if not separator:
            message = f"{line!r} is no answer: write ID = ANSWER, one a line"
            raise LabError(message)
        found[name.strip()] = answer.strip()
    return found
