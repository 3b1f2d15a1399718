"""What a child process is asked to run, and what it saw."""

from typing import Literal

import msgspec

from stagelight.model.attribution import Cause
from stagelight.model.explanation import Explanation

type Ending = Literal["answered", "time-limit", "output-limit", "died"]


class Piece(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stretch of the program's source that runs as one.

    Attributes:
        role: What it is: ``build``, ``run``, ``experiment`` or ``file``.
        code: Its text.
        line: 1-based line of the file where it begins.
    """

    role: str
    code: str
    line: int = 1


class Asked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An expression to evaluate once the program has run."""

    id: str
    expression: str


class FigureAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A function to explain for a figure: ``call`` is what stands between the parentheses."""

    function: str
    call: str


class Request(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What to run.

    Attributes:
        file: Path that the source has, or would have.
        folder: Working folder.
        pieces: The program.
        questions: Expressions, evaluated after the program.
        check: Program that tests what the first one defined; empty where there is none.
        check_file: What the check is called in messages.
        figures: Functions to explain.
        kept: Evidence of earlier stages of a project, as JSON; empty for a lesson.
        time_limit_s: The child is stopped after this long.
        output_limit_bytes: The child is stopped when it has printed more.
    """

    file: str
    folder: str
    pieces: tuple[Piece, ...]
    questions: tuple[Asked, ...] = ()
    check: str = ""
    check_file: str = "<check>"
    figures: tuple[FigureAsked, ...] = ()
    kept: str = ""
    time_limit_s: float = 60.0
    output_limit_bytes: int = 1_000_000


class Raised(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An exception that ended the program or its check.

    Attributes:
        where: ``program`` or ``check``.
        error: Type of the exception.
        message: Its message.
        line: Line of the learner's file where it came from, 0 where none.
        text: That line.
        slug: Kind of failure, where tracing raised.
        expression: The exact sub-expression.
        arguments: Arguments that it flows from.
        is_assertion: Whether a check's own assertion failed.
    """

    where: Literal["program", "check"]
    error: str
    message: str
    line: int = 0
    text: str = ""
    slug: str = ""
    expression: str = ""
    arguments: tuple[str, ...] = ()
    is_assertion: bool = False


class FunctionCounts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the ledger says of one of the program's own functions.

    Attributes:
        name: Its name.
        traces: How often it was traced.
        compiles: How often something of it was compiled.
        calls: How often it was called.
        traced_calls: For each trace, the position of the call that caused it, from 1.
        causes: For each trace, why.
    """

    name: str
    traces: int = 0
    compiles: int = 0
    calls: int = 0
    traced_calls: tuple[int, ...] = ()
    causes: tuple[tuple[Cause, ...], ...] = ()


class Answered(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The value of an expression as JSON, or why it has none."""

    id: str
    value: str = ""
    error: str = ""


class Surroundings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the program ran on."""

    python: str = ""
    jax: str = ""
    jaxlib: str = ""
    stagelight: str = ""
    platform: str = ""
    backend: str = ""
    devices: tuple[str, ...] = ()


class Examination(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was seen of a program.

    Attributes:
        ending: How the child ended.
        exit_code: Its exit code, where it died.
        output: What it printed, shortened.
        outputs: What each piece printed, in their order.
        defined: Names that the program defined.
        raised: What ended it early.
        functions: Its own functions, after the program (the check left out).
        checked: The same, in the check alone.
        advisories: Slugs of advisories with the function's name.
        answers: One for each question.
        explanations: One for each figure.
        evidence: What the check of a project's stage wrote down, as JSON.
        surroundings: Versions and devices.
        changed_checker: What of the checker the program changed; empty where nothing.
        seconds: How long it took.
    """

    ending: Ending = "answered"
    exit_code: int = 0
    output: str = ""
    outputs: tuple[str, ...] = ()
    defined: tuple[str, ...] = ()
    raised: Raised | None = None
    functions: tuple[FunctionCounts, ...] = ()
    checked: tuple[FunctionCounts, ...] = ()
    advisories: tuple[tuple[str, str], ...] = ()
    answers: tuple[Answered, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    evidence: str = ""
    surroundings: Surroundings = Surroundings()
    changed_checker: str = ""
    seconds: float = 0.0


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an examination means for a learner.

    Attributes:
        kind: ``passed``, or what is wrong, as a slug.
        message: One or more lines: what happened, where, on what evidence.
        advice: What to do.
        functions: Counts of the program's own functions.
        output: What it printed.
    """

    kind: str
    message: str = ""
    advice: str = ""
    functions: tuple[FunctionCounts, ...] = ()
    output: str = ""
