"""The recorded execution of a lesson's reference: what it printed, what the ledger said, which keys it gave."""

import msgspec

from stagelight.model.examination import FunctionCounts, Surroundings
from stagelight.model.explanation import Explanation


class PieceOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What one piece of the program printed, bound to its source."""

    role: str
    source_digest: str
    output: str


class ReferenceVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The reference solution of one exercise, or one stage of a project, as it was checked."""

    name: str
    source_digest: str
    verdict: str
    functions: tuple[FunctionCounts, ...]


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """One reference execution; nothing in it is inferred from time.

    Attributes:
        schema: Version of the format.
        lesson: Name of the lesson or project.
        lesson_digest: Hash of its file.
        command: What was run.
        surroundings: Versions, backend, devices.
        pieces: The program, piece by piece.
        functions: What the ledger said of build and run.
        advisories: Slug and function.
        answers: Question → key as JSON.
        explanations: One for each figure that shows binding times.
        references: Exercises or stages.
    """

    schema: int
    lesson: str
    lesson_digest: str
    command: str
    surroundings: Surroundings
    pieces: tuple[PieceOutput, ...] = ()
    functions: tuple[FunctionCounts, ...] = ()
    advisories: tuple[tuple[str, str], ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    explanations: tuple[Explanation, ...] = ()
    references: tuple[ReferenceVerdict, ...] = ()


class ExecutionDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that two executions of a lesson do not share."""

    subject: str
    recorded: str
    here: str
