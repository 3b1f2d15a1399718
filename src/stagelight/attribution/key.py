"""The cache key of one trace, cut into the parts that JAX compares."""

import msgspec

from stagelight.attribution.one_of_each import OneOfEach
from stagelight.model.aval import Aval
from stagelight.model.event import Traced
from stagelight.model.placement import Placement
from stagelight.model.value import Captured, Value

type Digests = tuple[int, int, int, int, int, int]

OBJECT, CONVENTION, STRUCTURE, AVALS, STATIC, CONTEXT = range(6)
PARTS = (OBJECT, CONVENTION, STRUCTURE, AVALS, STATIC, CONTEXT)


class Key(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One key under which a function was traced.

    The parts are those of ``jax/_src/pjit.py: _infer_params_cached`` and ``_create_pjit_jaxpr``: the function object,
    how the arguments were passed, their tree, their avals, the static arguments and the trace context.

    Attributes:
        digests: One digest for each part, in the order of ``PARTS``.
        trace: Number of the trace.
        object: Number of the function object; 0 for eager operations, whose objects JAX makes and drops as it likes.
        positional: Number of positional arguments.
        keywords: Names of keyword arguments.
        structure: Digest of the structure.
        avals: One for each leaf.
        static: Static arguments by name.
        context: Digest of the context.
        captured: What the function object carries with it.
        under: Transformations and inspections around the call.
        options: Options of the jit.
        placements: The distinct placements of the leaves.
        placement_of: Index into ``placements`` for each leaf.
    """

    digests: Digests
    trace: int
    object: int = 0
    positional: int = 0
    keywords: tuple[str, ...] = ()
    structure: str = ""
    avals: tuple[Aval, ...] = ()
    static: tuple[tuple[str, Value], ...] = ()
    context: str = ""
    captured: tuple[Captured, ...] = ()
    under: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    placements: tuple[Placement, ...] = ()
    placement_of: tuple[int, ...] = ()


def static_tokens(static: tuple[tuple[str, Value], ...]) -> tuple[tuple[str, str, str], ...]:
    """What JAX compares of static arguments: type and equality."""
    return tuple((name, value.type_name, value.token) for name, value in static)


def key_from_traced(traced: Traced, values: OneOfEach, *, is_eager: bool) -> Key:
    """The key of one trace.

    Args:
        traced: The trace.
        values: Keeps one object of each value.
        is_eager: Whether it is of an eager operation.

    The parameters of an eager operation are in the key as static arguments are: JAX makes one function for each set
    of them (``jax/_src/dispatch.py: xla_primitive_callable``), so the object itself says nothing more.
    """
    avals = values.avals(traced.avals)
    static = traced.static
    number = traced.object
    captured = traced.captured
    if is_eager:
        number = 0
        static += tuple((c.name, c.value) for c in captured)
        captured = ()
    tokens = static_tokens(static) if static else ()
    digests = (
        hash(number),
        hash((traced.positional, traced.keywords)),
        hash(traced.structure),
        hash(avals),
        hash(tokens) if static else 0,
        hash(traced.context),
    )
    return Key(
        digests=digests,
        trace=traced.trace,
        object=number,
        positional=traced.positional,
        keywords=traced.keywords,
        structure=traced.structure,
        avals=avals,
        static=values.value_by(tokens, static) if static else static,
        context=traced.context,
        captured=captured,
        under=traced.under,
        options=traced.options,
        placements=values.value(traced.placements),
        placement_of=traced.placement_of,
    )


def without(digests: Digests, part: int) -> int:
    """Digest of a key with one part left out; it agrees for two keys that differ in that part alone."""
    return hash((part, digests[:part], digests[part + 1 :]))


__all__ = [
    "AVALS",
    "CONTEXT",
    "CONVENTION",
    "OBJECT",
    "PARTS",
    "STATIC",
    "STRUCTURE",
    "Digests",
    "Key",
    "key_from_traced",
    "static_tokens",
    "without",
]
