"""Receipts: made from the journal and one more run of everything that passed, sealed field by field."""

import contextlib
import datetime
import json
from pathlib import Path

import msgspec

from stagelight.errors import LabError
from stagelight.lab.answers import agrees
from stagelight.lab.asking import Examiner
from stagelight.lab.checking import observed_keys
from stagelight.lab.course import course, stem_of
from stagelight.lab.digests import exercise_digest, ledger_digest, record_digest, text_digest
from stagelight.lab.program_run import run_program
from stagelight.lab.progress import LessonProgress
from stagelight.lab.requests import pieces_of, repair_request, source_of
from stagelight.lab.study import RECEIPTS, Study, write_text
from stagelight.lab.verdicts import PASSED, verdict_of
from stagelight.model.examination import Examination
from stagelight.model.journal import CheckpointAnswered, Predicted, Received
from stagelight.model.lesson import Exercise, Lesson, Question
from stagelight.model.receipt import RECEIPT_SCHEMA, JournalPlace, Judged, Receipt, Repaired, SealedReceipt

RESULT_PASSED = "passed"
RESULT_GAVE_UP = "passed after giving up"


def sealed(receipt: Receipt) -> SealedReceipt:
    """A receipt with its hashes."""
    hashes = field_hashes(receipt)
    return SealedReceipt(receipt=receipt, hashes=hashes, digest=record_digest(hashes))


def field_hashes(receipt: Receipt) -> dict[str, str]:
    """Field → hash of its canonical JSON."""
    return {name: record_digest(value) for name, value in msgspec.structs.asdict(receipt).items()}


def bytes_of(receipt: SealedReceipt) -> bytes:
    """The one way in which a receipt is written: JSON with sorted keys, indented by one, in ASCII."""
    text = json.dumps(msgspec.to_builtins(receipt), indent=1, sort_keys=True, ensure_ascii=True)
    return text.encode("ascii") + b"\n"


def receipt_file(study: Study, lesson: Lesson) -> Path:
    """Where the receipt of a lesson is put in the workspace."""
    return study.workspace / RECEIPTS / f"{stem_of(lesson)}.json"


def write_receipt(study: Study, lesson: Lesson, examiner: Examiner, explanation: str) -> Path:
    """Run everything of a finished lesson once more, and write what was seen as a receipt.

    Args:
        study: The learner's place.
        lesson: The lesson.
        examiner: Runs the programs.
        explanation: What the learner made of it.

    Raises:
        LabError: A part of the lesson is missing, or no longer does what it did.
    """
    progress = study.progress(lesson)
    if progress.part not in ("evidence", "done"):
        message = f"lesson {lesson.number} is not finished: next is {progress.part}. Go on with: stagelight learn"
        raise LabError(message)
    program = run_program(lesson, study.folder(lesson), examiner)
    if program.ending != "answered" or program.raised is not None:
        message = f"the program of {lesson.name} does not run here any more: check it with stagelight doctor"
        raise LabError(message)
    _check_keys(progress, program)
    repairs = tuple(_repaired(study, lesson, exercise, progress, examiner) for exercise in lesson.exercises)
    receipt = _receipt(study, lesson, program, repairs, explanation)
    return _keep(study, lesson, sealed(receipt))


def _receipt(
    study: Study, lesson: Lesson, program: Examination, repairs: tuple[Repaired, ...], explanation: str
) -> Receipt:
    progress = study.progress(lesson)
    source = source_of(pieces_of(lesson))
    return Receipt(
        schema=RECEIPT_SCHEMA,
        lesson=lesson.name,
        lesson_digest=lesson.digest,
        recorded_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        command=f"stagelight learn verify {RECEIPTS}/{stem_of(lesson)}.json",
        surroundings=program.surroundings,
        source=source,
        source_digest=text_digest(source),
        output=program_output(program),
        functions=program.functions,
        ledger_digest=ledger_digest(program.functions),
        predictions=_judged(lesson.predictions, _answers_of(progress.predicted), progress),
        explanation=explanation,
        repairs=repairs,
        checkpoints=_judged(lesson.checkpoints, _answers_of(progress.answered), progress),
        result=RESULT_GAVE_UP if any(one.gave_up for one in repairs) else RESULT_PASSED,
        journal=_journal_place(study, progress),
    )


def _check_keys(progress: LessonProgress, program: Examination) -> None:
    """The recorded run must have given what the lesson's program gives."""
    keys = {one.id: one.value for one in program.answers}
    other = [name for name, value in observed_keys(progress).items() if keys.get(name) != value]
    if other:
        message = (
            f"the recorded run gave other values than the lesson's program gives: {', '.join(other)}. Run it again"
        )
        raise LabError(message)


def program_output(program: Examination) -> str:
    """What build, run and experiment printed."""
    return "".join(program.outputs)


def _answers_of(entry: object) -> dict[str, str]:
    deed = getattr(entry, "deed", None)
    return dict(deed.answers) if isinstance(deed, Predicted | CheckpointAnswered) else {}


def _judged(questions: tuple[Question, ...], answers: dict[str, str], progress: LessonProgress) -> tuple[Judged, ...]:
    keys = observed_keys(progress)
    return tuple(
        Judged(
            id=question.id,
            question=question.question,
            answer=answers[question.id],
            observed=keys.get(question.id, ""),
            agrees=agrees(answers[question.id], keys.get(question.id, "")),
        )
        for question in questions
    )


def judged_predictions(lesson: Lesson, progress: LessonProgress) -> tuple[Judged, ...]:
    """Prediction and observation side by side, once the lesson was run."""
    return _judged(lesson.predictions, _answers_of(progress.predicted), progress)


def judged_checkpoints(lesson: Lesson, progress: LessonProgress) -> tuple[Judged, ...]:
    """Answers of the checkpoint and what JAX gave."""
    return _judged(lesson.checkpoints, _answers_of(progress.answered), progress)


def _repaired(
    study: Study, lesson: Lesson, exercise: Exercise, progress: LessonProgress, examiner: Examiner
) -> Repaired:
    done = progress.exercises[exercise.name]
    source = study.kept_source(done.source_digest)
    if source is None:
        message = f"the repair of {exercise.name} that passed is not kept any more: check it again"
        raise LabError(message)
    file = study.exercise_file(lesson, exercise)
    found = examiner.examine(repair_request(lesson, exercise, source, file))
    verdict = verdict_of(exercise, found, source, file.name)
    if verdict.kind != PASSED:
        message = f"the repair of {exercise.name} passed before and does not now: {verdict.message}"
        raise LabError(message)
    return Repaired(
        name=exercise.name,
        level=exercise.level,
        exercise_digest=exercise_digest(exercise),
        source=source,
        source_digest=done.source_digest,
        verdict=verdict.kind,
        functions=found.functions,
        attempts=done.attempts,
        hints=done.hints,
        gave_up=done.gave_up,
    )


def _journal_place(study: Study, progress: LessonProgress) -> JournalPlace:
    assert progress.predicted is not None
    assert progress.ran is not None
    entries = study.journal.entries
    return JournalPlace(
        predicted=progress.predicted.hash, ran=progress.ran.hash, last=entries[-1].hash, entries=len(entries)
    )


def _keep(study: Study, lesson: Lesson, receipt: SealedReceipt) -> Path:
    text = bytes_of(receipt).decode("ascii")
    file = receipt_file(study, lesson)
    write_text(file, text)
    write_text(study.home / RECEIPTS / file.name, text)
    study.journal.append(Received(lesson=lesson.name, receipt_digest=receipt.digest))
    return file


def kept_receipts(study: Study) -> tuple[SealedReceipt, ...]:
    """The receipts of a study, in the order of the course; those that cannot be read are left out."""
    found: list[SealedReceipt] = []
    for lesson in course():
        path = study.home / RECEIPTS / f"{stem_of(lesson)}.json"
        with contextlib.suppress(OSError, msgspec.DecodeError):
            found.append(msgspec.json.decode(path.read_bytes(), type=SealedReceipt))
    return tuple(found)
