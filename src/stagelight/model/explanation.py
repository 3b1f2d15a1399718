"""What was observed of one function while JAX traced it: its source by binding time, and what became of it."""

import msgspec

from stagelight.model.binding_time import BindingTime
from stagelight.model.event import Failure
from stagelight.model.finding import Span


class LabelledSpan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One expression with its binding time.

    Attributes:
        span: Where it is.
        time: Its binding time; the latest, if it differed between evaluations.
        is_tree: Whether it is a container or object with traced leaves, rather than one traced array.
        is_captured: Whether it is an array from outside that was baked into the program.
        aval: Its aval, where it is one traced array.
        origins: Arguments that it flows from, as the caller would write them (``params['w']``).
        crosses: Whether it stands at the staging boundary: it is known while tracing and goes into data, or it is read
            off data while tracing.
        evaluations: How often it was evaluated in one trace.
    """

    span: Span
    time: BindingTime
    is_tree: bool = False
    is_captured: bool = False
    aval: str = ""
    origins: tuple[str, ...] = ()
    crosses: bool = False
    evaluations: int = 1


class SourceEquation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Equations of one kind that one line made.

    Attributes:
        line: The line.
        primitive: Name of the primitive.
        outputs: Avals of its results.
        baked: Constants that the source decided: literal operands, sizes, axes (``shape=(3,)``).
        count: How many such equations the line made.
        is_inner: Whether they stand in the body of a loop, branch or nested jit.
    """

    line: int
    primitive: str
    outputs: tuple[str, ...] = ()
    baked: tuple[str, ...] = ()
    count: int = 1
    is_inner: bool = False


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """A side effect of Python that ran while tracing, and will not run again."""

    span: Span
    text: str


class HelperCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that led to other functions of the user's own, by their index in the explanation."""

    span: Span
    functions: tuple[int, ...]


class ExplainedFunction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Source of one function that ran, with what was observed in it.

    Attributes:
        function: Qualified name.
        file: Path.
        first_line: Line of its first source line, decorators included.
        lines: Its source.
        spans: Expressions by place, an expression before its parts.
        equations: By line.
        effects: In the order they ran.
        calls: Helpers that it called.
    """

    function: str
    file: str
    first_line: int
    lines: tuple[str, ...]
    spans: tuple[LabelledSpan, ...] = ()
    equations: tuple[SourceEquation, ...] = ()
    effects: tuple[Effect, ...] = ()
    calls: tuple[HelperCall, ...] = ()


class TraceFailure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why the trace failed.

    Attributes:
        failure: Its slug, place, expression, arguments and JAX's message.
        span: The exact sub-expression; None where no line of the user's own is known.
        operands: The traced values that the expression was given: text and aval.
        reason: Why Python needed a value there, one sentence.
        ways_out: What can be done, the best first.
    """

    failure: Failure
    span: Span | None = None
    operands: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    ways_out: tuple[str, ...] = ()


class Explanation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One function under one call, as JAX traced it.

    Attributes:
        function: Qualified name of the explained function.
        call: The call in JAX's notation: ``f(f32[32,128], mode='sum')``.
        jax_version: Version of JAX that traced it.
        functions: The explained function first, then the helpers in the order they were entered.
        jaxpr: Text of the jaxpr; empty where the trace failed.
        constants: Arrays that were baked in: aval and size in bytes.
        static: Arguments that were static: name and value.
        elsewhere: Equations that no shown line made (library code), by primitive.
        failure: Why the trace failed; None where it did not.
        notes: What could not be done, and why.
    """

    function: str
    call: str
    jax_version: str
    functions: tuple[ExplainedFunction, ...]
    jaxpr: str = ""
    constants: tuple[tuple[str, int], ...] = ()
    static: tuple[tuple[str, str], ...] = ()
    elsewhere: tuple[tuple[str, int], ...] = ()
    failure: TraceFailure | None = None
    notes: tuple[str, ...] = ()
