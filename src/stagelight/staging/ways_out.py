"""Why Python needed a value while tracing, and what can be done, for each failure of the catalogue."""

from typing import NamedTuple


class Advice(NamedTuple):
    """Reason, one sentence; and ways out, the best first."""

    reason: str
    ways_out: tuple[str, ...]


_STATIC = "make the argument static if it takes few values (static_argnames)"

_ADVICE = {
    "traced-condition": Advice(
        "Python chooses the branch while tracing, before the value exists; the program would contain one branch only.",
        (
            "choose between values with jnp.where",
            "choose between computations with lax.cond or lax.while_loop",
            _STATIC,
        ),
    ),
    "traced-bool-op": Advice(
        "and, or, not, min, max and sorted ask each operand for True or False while tracing.",
        ("use jnp.logical_and, jnp.logical_or, jnp.logical_not", "use jnp.minimum, jnp.maximum, jnp.sort", _STATIC),
    ),
    "traced-concretize": Advice(
        "A Python number or text must be known while tracing; the traced value is known only when the program runs.",
        ("keep the array: x.astype(int), jnp.sqrt", "print with jax.debug.print", _STATIC),
    ),
    "traced-index-or-range": Advice(
        "Python's range, slices and containers need an integer while tracing.",
        ("loop with lax.fori_loop", "slice with lax.dynamic_slice, index an array with jnp", _STATIC),
    ),
    "traced-shape-argument": Advice(
        "Every shape is part of the compiled program, so a size cannot come from data.",
        ("take the size from a shape: x.shape[0]", _STATIC, "use the largest size and a mask"),
    ),
    "numpy-on-traced": Advice(
        "NumPy computes at once on real arrays; a traced value has none.",
        ("use the function of the same name in jax.numpy", "convert NumPy tables with jnp.asarray before indexing"),
    ),
    "data-dependent-shape": Advice(
        "The number of selected elements would decide the result's shape, and shapes are fixed while tracing.",
        (
            "select with jnp.where and keep the shape",
            "give size= (and fill_value=)",
            "do it outside the jitted function",
        ),
    ),
    "traced-setitem": Advice(
        "JAX arrays never change; assignment into one has no meaning.",
        ("x = x.at[index].set(value)",),
    ),
    "unhashable-static-argument": Advice(
        "A static argument is part of the cache key, so it must have a hash and equality.",
        ("pass a tuple for a list", "give the dataclass frozen=True", "pass arrays as ordinary arguments"),
    ),
    "metadata-not-comparable": Advice(
        "Static fields of a pytree are compared with == to find the compiled program; arrays have no single answer.",
        ("make the field data", "store a tuple in the static field"),
    ),
    "tracer-leak": Advice(
        "The value belongs to one trace and was kept in something that outlives it.",
        ("return the value", "carry it through scan or the loop's carry"),
    ),
    "shape-mismatch": Advice(
        "Shapes are known while tracing, and these do not fit.",
        ("compare the avals of the operands", "reshape, transpose or add an axis where they differ"),
    ),
    "branch-types-differ": Advice(
        "Both branches are traced and must give one type, since the compiled program has one result.",
        ("cast both results to one dtype", "return the same structure and shapes from both"),
    ),
    "carry-type-differs": Advice(
        "The loop's body is compiled once, so its carry must keep structure, shape and dtype.",
        ("give the start value the dtype that the body returns", "cast in the body"),
    ),
    "rejected-while-tracing": Advice("The program's own check refused the arguments while tracing.", ()),
    "other": Advice("", ()),
}


def advice_for(slug: str) -> Advice:
    """Advice for a failure; empty for one that is not in the catalogue."""
    return _ADVICE.get(slug, Advice("", ()))
