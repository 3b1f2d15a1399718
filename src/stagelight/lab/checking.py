"""The steps of a lesson, each recorded in the journal: predict, run, check, hint, solution, answer, reset."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from stagelight.errors import LabError, UsageError
from stagelight.lab.answers import agrees, answer_from
from stagelight.lab.asking import Examiner
from stagelight.lab.checker_seal import changed_file, checker_files
from stagelight.lab.program_run import run_program
from stagelight.lab.progress import LessonProgress
from stagelight.lab.requests import pieces_of, repair_request, source_of
from stagelight.lab.study import Study, read_source, write_text
from stagelight.lab.verdicts import verdict_of
from stagelight.model.examination import Answered, Examination, Verdict
from stagelight.model.journal import Checked, CheckpointAnswered, GaveUp, Hinted, Predicted, Ran, WasReset
from stagelight.model.lesson import Exercise, Lesson, Question
from stagelight.report.lesson_document import shown_answer


def commit_predictions(study: Study, lesson: Lesson, typed: Mapping[str, str]) -> None:
    """Write all predictions of a lesson to the journal, before anything runs.

    Args:
        study: The learner's place.
        lesson: The lesson.
        typed: Question → what was typed.

    Raises:
        LabError: They were committed already, or the lesson was run before.
        UsageError: One is missing, unknown, or no answer to its question.
    """
    progress = study.progress(lesson)
    if progress.predicted is not None:
        again = f"stagelight learn reset {lesson.name}"
        message = f"{lesson.name} was predicted already; predictions stand. Begin anew with: {again}"
        raise LabError(message)
    _refuse_after_run(study, lesson)
    answers = _answers(lesson.predictions, typed)
    study.journal.append(Predicted(lesson=lesson.name, lesson_digest=lesson.digest, answers=answers))


def _refuse_after_run(study: Study, lesson: Lesson) -> None:
    for entry in reversed(study.journal.entries):
        deed = entry.deed
        if isinstance(deed, WasReset) and deed.lesson == lesson.name and not deed.exercise:
            return
        if isinstance(deed, Ran) and deed.lesson == lesson.name and deed.lesson_digest == lesson.digest:
            message = (
                f"{lesson.name} was run before it was predicted, so a prediction says nothing: begin anew with "
                f"stagelight learn reset {lesson.number}"
            )
            raise LabError(message)


def _answers(questions: tuple[Question, ...], typed: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    known = {question.id for question in questions}
    unknown = [name for name in typed if name not in known]
    missing = [question.id for question in questions if question.id not in typed]
    if unknown or missing:
        verb = "is" if len(missing) == 1 else "are"
        what = f"there is no question {unknown[0]!r}" if unknown else f"{', '.join(missing)} {verb} not answered"
        message = f"{what}; the questions are {', '.join(sorted(known))}"
        raise UsageError(message)
    return tuple((question.id, answer_from(question, typed[question.id])) for question in questions)


def run_lesson(study: Study, lesson: Lesson, examiner: Examiner) -> Examination:
    """Run the lesson's program under the ledger, once its predictions stand in the journal.

    Raises:
        LabError: There is no prediction yet, or the program is not the one that was predicted.
    """
    progress = study.progress(lesson)
    if progress.predicted is None:
        _refuse_after_run(study, lesson)
        message = f"predict first, then run: stagelight learn, or stagelight learn predict {lesson.number} ID=ANSWER"
        raise LabError(message)
    study.open_lesson(lesson)
    file = study.program_file(lesson)
    source = read_source(file)
    if source != source_of(pieces_of(lesson)) and progress.ran is None:
        message = (
            f"{file} is not the program that was predicted: it was edited. Delete it to have it laid again, and edit "
            "it after the run"
        )
        raise LabError(message)
    found = run_program(lesson, study.folder(lesson), examiner)
    study.restore()
    if found.ending == "answered" and found.raised is None:
        record_run(study, lesson, source, found.answers)
    return found


def record_run(study: Study, lesson: Lesson, source: str, answers: Iterable[Answered]) -> None:
    """Write to the journal that the lesson's program was run, and which keys it gave.

    Args:
        study: The learner's place.
        lesson: The lesson.
        source: The program.
        answers: The keys.
    """
    observed = tuple((one.id, one.value) for one in answers)
    digest = study.keep_source(source)
    study.journal.append(Ran(lesson=lesson.name, lesson_digest=lesson.digest, source_digest=digest, observed=observed))


def check_exercise(study: Study, lesson: Lesson, exercise: Exercise, examiner: Examiner) -> Verdict:
    """Run a repair and its hidden check, and record what came of it.

    Raises:
        LabError: The lesson was not run yet, or the file is gone (it is laid again) or cannot be read.
    """
    if study.progress(lesson).ran is None:
        message = f"predict and run lesson {lesson.number} first: stagelight learn"
        raise LabError(message)
    file = study.exercise_file(lesson, exercise)
    was_there = file.exists()
    gone = study.open_lesson(lesson)
    if not was_there:
        raise LabError(_of_gone(lesson, exercise, file, was_checked=file in gone))
    source = read_source(file)
    digest = study.keep_source(source)
    study.note_last_source(lesson, exercise, digest)
    files = checker_files()
    found = examiner.examine(repair_request(lesson, exercise, source, file))
    verdict = verdict_of(exercise, found, source, file.name)
    verdict = _disturbed(verdict, file, source, changed_file(files), study)
    deed = Checked(
        lesson=lesson.name,
        lesson_digest=lesson.digest,
        exercise=exercise.name,
        source_digest=digest,
        verdict=verdict.kind,
    )
    study.journal.append(deed)
    return verdict


def _of_gone(lesson: Lesson, exercise: Exercise, file: Path, *, was_checked: bool) -> str:
    """What to say of a file that is not there: judging another text in its place would be a guess."""
    if not was_checked:
        return f"{file} was not there, so nothing was checked. Its starter was laid: repair it, and check again"
    return (
        f"{file} is gone, so nothing was checked. It was laid again as it was checked last: look at it, and check "
        f"again; its starter comes with stagelight learn reset {lesson.number} {exercise.name}"
    )


def _disturbed(verdict: Verdict, file: Path, source: str, changed: str, study: Study) -> Verdict:
    """What a verdict becomes if files that must stay still did not."""
    if changed:
        message = f"While {file.name} ran, {changed} changed, which judges it; nothing that it shows counts."
        advice = "Install Stagelight again: the checker is part of it. Repair the program, not its judge."
        return msgspec.structs.replace(verdict, kind="changed-checker", message=message, advice=advice)
    if not file.exists():
        study.restore()
        message = f"While it ran, {file.name} was deleted. It was laid again as it was checked; your progress is kept."
        advice = "Leave files alone that the program did not make."
        return msgspec.structs.replace(verdict, kind="deleted-workspace", message=message, advice=advice)
    study.journal.restore()
    if read_source(file) != source:
        message = f"{file.name} was saved while it was checked: the verdict would be about the text before."
        advice = "Check it again."
        return msgspec.structs.replace(verdict, kind="changed-while-checked", message=message, advice=advice)
    return verdict


def next_hint(study: Study, lesson: Lesson, exercise: Exercise) -> tuple[int, str]:
    """The next hint with its number; the last one again when there is no other. It is recorded.

    Raises:
        LabError: The exercise has none.
    """
    read = study.exercise_progress(lesson, exercise).hints
    number = min(read + 1, len(exercise.hints))
    if not number:
        message = f"{exercise.name} has no hints"
        raise LabError(message)
    if number > read:
        study.journal.append(Hinted(lesson=lesson.name, exercise=exercise.name, hint=number))
    return number, exercise.hints[number - 1]


def solution_of(study: Study, lesson: Lesson, exercise: Exercise, *, giving_up: bool) -> str:
    """The reference solution, after passing, or after giving up, which is recorded.

    Raises:
        LabError: The exercise has not passed, and the learner has not given up.
    """
    progress = study.exercise_progress(lesson, exercise)
    if not progress.passed and not progress.gave_up:
        if not giving_up:
            message = (
                f"{exercise.name} has not passed. The solution is shown after it passes, or after giving up, which "
                f"the receipt says: stagelight learn solution {lesson.number} {exercise.name} --give-up"
            )
            raise LabError(message)
        study.journal.append(GaveUp(lesson=lesson.name, exercise=exercise.name))
    return exercise.solution


def answer_checkpoint(study: Study, lesson: Lesson, typed: Mapping[str, str]) -> dict[str, bool]:
    """Record the answers of the checkpoint; for each question, whether it agrees with what JAX gave.

    Raises:
        LabError: The lesson was not run yet.
        UsageError: One is missing, unknown, or no answer to its question.
    """
    keys = observed_keys(study.progress(lesson))
    if not keys:
        message = f"predict and run lesson {lesson.number} first: stagelight learn"
        raise LabError(message)
    answers = _answers(lesson.checkpoints, typed)
    study.journal.append(CheckpointAnswered(lesson=lesson.name, lesson_digest=lesson.digest, answers=answers))
    return {name: agrees(answer, keys.get(name, "")) for name, answer in answers}


def observed_keys(progress: LessonProgress) -> dict[str, str]:
    """The keys that the recorded run gave: question → value as JSON."""
    return dict(progress.ran.deed.observed) if progress.ran is not None and isinstance(progress.ran.deed, Ran) else {}


def shown_key(progress: LessonProgress, question: Question) -> str:
    """The key of a question as a learner would type it."""
    return shown_answer(observed_keys(progress).get(question.id, ""))


def reset(study: Study, lesson: Lesson, exercise: Exercise | None) -> tuple[Path, ...]:
    """Begin a lesson anew, or one exercise of it; the starters are laid again, what was there is kept.

    Returns:
        The files that were laid.
    """
    chosen = lesson.exercises if exercise is None else (exercise,)
    laid: list[Path] = []
    for one in chosen:
        file = study.exercise_file(lesson, one)
        if file.exists():
            study.keep_source(read_source(file))
        study.forget_last_source(lesson, one)
        write_text(file, one.starter)
        laid.append(file)
    if exercise is None:
        study.program_file(lesson).unlink(missing_ok=True)
    study.journal.append(WasReset(lesson=lesson.name, exercise=exercise.name if exercise is not None else ""))
    return tuple(laid)
