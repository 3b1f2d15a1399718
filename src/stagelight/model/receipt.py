"""A receipt: what a learner predicted, ran, repaired and answered in one lesson, bound together by hashes."""

import msgspec

from stagelight.model.examination import FunctionCounts, Surroundings

RECEIPT_SCHEMA = 1


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One question with the answer that was given and the key that JAX gave, both as JSON."""

    id: str
    question: str
    answer: str
    observed: str
    agrees: bool


class Repaired(msgspec.Struct, frozen=True, kw_only=True):
    """One exercise as it was passed.

    Attributes:
        name: The exercise.
        level: Its level.
        exercise_digest: Hash of everything that the author wrote for it.
        source: The learner's file.
        source_digest: Its hash.
        verdict: Kind of the verdict.
        functions: Counts of its functions.
        attempts: How often it was checked.
        hints: How many hints were read.
        gave_up: Whether the solution was shown before.
    """

    name: str
    level: str
    exercise_digest: str
    source: str
    source_digest: str
    verdict: str
    functions: tuple[FunctionCounts, ...]
    attempts: int
    hints: int
    gave_up: bool


class JournalPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where the receipt stands in the journal: hashes of the entries of the prediction, the run, and the last one."""

    predicted: str
    ran: str
    last: str
    entries: int


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence of one lesson.

    Attributes:
        schema: Version of the format.
        lesson: Name of the lesson.
        lesson_digest: Hash of the lesson's file.
        recorded_at: When, as ISO text.
        command: The command that repeats it.
        surroundings: Versions, backend, devices.
        source: The program.
        source_digest: Its hash.
        output: What build and run of it printed.
        functions: What the ledger said of its functions.
        ledger_digest: Hash of that, causes included, times left out.
        predictions: Question by question.
        explanation: What the learner made of it, in their own words.
        repairs: Exercise by exercise.
        checkpoints: Question by question.
        result: ``passed``, or ``passed after giving up``.
        journal: Where it stands in the journal.
    """

    schema: int
    lesson: str
    lesson_digest: str
    recorded_at: str
    command: str
    surroundings: Surroundings
    source: str
    source_digest: str
    output: str
    functions: tuple[FunctionCounts, ...]
    ledger_digest: str
    predictions: tuple[Judged, ...]
    explanation: str
    repairs: tuple[Repaired, ...]
    checkpoints: tuple[Judged, ...]
    result: str
    journal: JournalPlace


class SealedReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """A receipt with a hash for each of its fields, and one over those."""

    receipt: Receipt
    hashes: dict[str, str]
    digest: str


class ReceiptFinding(msgspec.Struct, frozen=True, kw_only=True):
    """Something about a receipt that is not as it must be: which field, and what is so instead."""

    field: str
    message: str
