"""One sitting at the terminal: the parts of a lesson in their order, from where the journal says the learner is."""

from collections.abc import Callable, Sequence

import click

from stagelight.errors import UsageError
from stagelight.lab.answers import CAUSE_PAGES, answer_from
from stagelight.lab.asking import Examiner
from stagelight.lab.checking import answer_checkpoint, commit_predictions, run_lesson
from stagelight.lab.course import course
from stagelight.lab.progress import next_exercise, next_lesson
from stagelight.lab.receipts import judged_checkpoints, judged_predictions, write_receipt
from stagelight.lab.requests import pieces_of, source_of
from stagelight.lab.study import Study, read_source, write_text
from stagelight.lab.terminal_input import typed_line
from stagelight.lab.watching import Watch, shown_path
from stagelight.model.examination import Examination
from stagelight.model.lesson import Exercise, Lesson, Question
from stagelight.report.document import Document, KeyValues, Paragraph, Text
from stagelight.report.lesson_document import (
    judged_document,
    noted_document,
    prediction_document,
    problem_document,
    program_document,
    question_line,
    step_document,
)
from stagelight.report.terminal import write_terminal
from stagelight.report.verdict_document import counts_table, output_lines

GO_ON = "Enter goes on: "
ALL_DONE = """All lessons are done. See them with: stagelight learn portfolio
The project puts it together: stagelight learn show transforms-audit"""


class Sitting:
    """Leads a learner through lessons.

    Args:
        study: The learner's place.
        examiner: Runs the programs.
    """

    def __init__(self, study: Study, examiner: Examiner) -> None:
        self._study = study
        self._examiner = examiner
        self._parts: dict[str, Callable[[Lesson], bool]] = {
            "predict": self._predict,
            "run": self._run,
            "repair": self._repair,
            "checkpoint": self._checkpoint,
            "evidence": self._evidence,
        }

    def go_on(self, lesson: Lesson | None = None) -> None:
        """Do part after part until the learner stops, or nothing is left.

        Args:
            lesson: The lesson to do first; the first one that is not done if absent.
        """
        while True:
            chosen = lesson or next_lesson(course(), self._study.journal.entries)
            if chosen is None:
                click.echo(ALL_DONE)
                return
            part = self._study.progress(chosen).part
            if part == "done":
                lesson = None
                continue
            if not self._parts[part](chosen):
                return

    def _predict(self, lesson: Lesson) -> bool:
        click.clear()
        for document in (
            problem_document(lesson, len(course())), program_document(lesson), prediction_document(lesson)
        ):  # fmt: skip
            write_terminal(document)
            click.echo()
        click.echo("Nothing has run yet. Type what you expect; predictions cannot be changed afterwards.\n")
        commit_predictions(self._study, lesson, self._asked(lesson.predictions))
        return True

    def _asked(self, questions: Sequence[Question]) -> dict[str, str]:
        typed: dict[str, str] = {}
        for question in questions:
            is_of_causes = question.kind == "cause" and not question.choices
            aside = (Text("  [a slug; ? lists all]", "muted"),) if is_of_causes else ()
            write_terminal(Document(title="", blocks=(Paragraph((*question_line(question), *aside)),)))
            typed[question.id] = _answer_to(question, may_list=is_of_causes)
            click.echo()
        return typed

    def _run(self, lesson: Lesson) -> bool:
        self._build(lesson)
        found = run_lesson(self._study, lesson, self._examiner)
        click.clear()
        tell_run(self._study, lesson, found)
        if found.ending != "answered" or found.raised is not None:
            return False
        typed_line(GO_ON)
        return True

    def _build(self, lesson: Lesson) -> None:
        """Append step after step; one that was left in the middle, or laid again, begins at its first step."""
        file, pieces = self._study.program_file(lesson), pieces_of(lesson)
        beginnings = [source_of(pieces[:number]) for number in range(1, len(pieces) + 1)]
        if file.exists() and read_source(file) not in beginnings:
            return
        click.clear()
        for number, (step, piece) in enumerate(zip(lesson.build, pieces, strict=False), start=1):
            write_terminal(step_document(step, piece.line, number, len(lesson.build)))
            typed_line(f"\nEnter appends it to {shown_path(file)}: ")
            write_text(file, source_of(pieces[:number]))
        write_text(file, source_of(pieces))

    def _repair(self, lesson: Lesson) -> bool:
        """Watch exercise after exercise; one that is passed over comes again after the others."""
        exercise = next_exercise(lesson, self._study.progress(lesson))
        while exercise is not None:
            if Watch(self._study, lesson, exercise, self._examiner).run() == "quit":
                return False
            exercise = self._exercise_after(lesson, exercise)
        return True

    def _exercise_after(self, lesson: Lesson, exercise: Exercise) -> Exercise | None:
        progress = self._study.progress(lesson)
        position = lesson.exercises.index(exercise) + 1
        turned = [*lesson.exercises[position:], *lesson.exercises[:position]]
        return next((one for one in turned if not progress.exercises[one.name].passed), None)

    def _checkpoint(self, lesson: Lesson) -> bool:
        click.clear()
        click.echo("Checkpoint. The keys were computed by running JAX.\n")
        answer_checkpoint(self._study, lesson, self._asked(lesson.checkpoints))
        judged = judged_checkpoints(lesson, self._study.progress(lesson))
        write_terminal(judged_document("Checkpoint", judged, lesson.checkpoints))
        click.echo()
        return True

    def _evidence(self, lesson: Lesson) -> bool:
        explanation = typed_line("In your own words, what decided what was seen? > ")
        path = write_receipt(self._study, lesson, self._examiner, explanation)
        click.echo(f"\nLesson {lesson.number} is done. Its receipt: {shown_path(path)}")
        click.echo(f"Verify it anywhere with: stagelight learn verify {shown_path(path)}\n")
        typed_line(GO_ON)
        return True


def _answer_to(question: Question, *, may_list: bool) -> str:
    """What is typed at last: what cannot be an answer is refused, and asked for again."""
    while True:
        typed = typed_line(f"{question.id} > ")
        if may_list and typed == "?":
            rows = tuple((page.slug, ((Text(page.title),),)) for page in CAUSE_PAGES)
            write_terminal(Document(title="", blocks=(KeyValues(rows),)))
            continue
        try:
            answer_from(question, typed)
        except UsageError as error:
            click.echo(f"  {error}")
            continue
        return typed


def tell_run(study: Study, lesson: Lesson, found: Examination) -> None:
    """Write what a lesson's program did, beside what was predicted.

    Args:
        study: The learner's place.
        lesson: The lesson.
        found: What was seen of its program.
    """
    if found.ending != "answered":
        click.echo(f"The program ended by {found.ending}, exit code {found.exit_code}: see stagelight doctor")
    if found.raised is not None:
        click.echo(f"The program raised {found.raised.error}: {found.raised.message}")
    parts = len(lesson.build) + len(lesson.run)
    rows = (("printed", output_lines("".join(found.outputs[:parts]))),)
    head = Paragraph((Text("Run", "strong"),))
    write_terminal(Document(title="", blocks=(head, KeyValues(rows), counts_table(found.functions))))
    click.echo()
    progress = study.progress(lesson)
    if progress.ran is not None:
        write_terminal(judged_document("Your predictions", judged_predictions(lesson, progress), lesson.predictions))
    if lesson.experiment:
        click.echo()
        _tell_experiment(lesson, found.outputs[parts:])


def _tell_experiment(lesson: Lesson, outputs: Sequence[str]) -> None:
    """Each step of the experiment with what it printed: the factors are in its text."""
    write_terminal(Document(title="", blocks=(Paragraph((Text("Experiment", "strong"),)),)))
    pieces = [piece for piece in pieces_of(lesson) if piece.role == "experiment"]
    for step, piece, output in zip(lesson.experiment, pieces, outputs, strict=False):
        click.echo()
        write_terminal(noted_document(step, piece.line))
        click.echo(f"\n{output}")
