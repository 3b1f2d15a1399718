"""The equations of a jaxpr with the places in source that made them.

Each equation carries the traceback of its bind (``jax/_src/source_info_util.py: user_frames``), whose frames have lines
and columns. Inner jaxprs are found in an equation's parameters (``jax/_src/core.py: jaxprs_in_params``).
"""

from collections.abc import Iterator
from typing import NamedTuple

MAXIMUM_TEXT = 60
# How JAX carries an equation out, not what the source decided.
_BOOKKEEPING = frozenset(
    {
        "_split_transpose",
        "copy_semantics",
        "ctx_mesh",
        "donated_invars",
        "in_layouts",
        "inline",
        "keep_unused",
        "linear",
        "name",
        "num_carry",
        "num_consts",
        "out_layouts",
        "weak_type",
    }
)


class Frame(NamedTuple):
    """One frame of an equation's traceback; columns count bytes from 0."""

    file: str
    function: str
    line: int
    end_line: int
    column: int
    end_column: int


class PlacedEquation(NamedTuple):
    """One equation: what it computes and the frames outside JAX that made it, the innermost first."""

    primitive: str
    outputs: tuple[str, ...]
    literals: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...]
    frames: tuple[Frame, ...]
    depth: int


def placed_equations(jaxpr: object, depth: int = 0) -> Iterator[PlacedEquation]:
    """Every equation of a (closed) jaxpr, those of inner jaxprs after the equation that holds them and one deeper."""
    for equation in getattr(jaxpr, "jaxpr", jaxpr).eqns:
        yield PlacedEquation(
            primitive=equation.primitive.name,
            outputs=tuple(aval_text(v.aval) for v in equation.outvars),
            literals=tuple(_literal_text(v.val) for v in equation.invars if hasattr(v, "val")),
            parameters=tuple(_static_parameters(equation.params)),
            frames=_frames(equation),
            depth=depth,
        )
        for part in _inner_jaxprs(equation.params):
            yield from placed_equations(part, depth + 1)


def aval_text(aval: object) -> str:
    """An aval as JAX writes it in a jaxpr (``f32[3]``)."""
    short = getattr(aval, "str_short", None)
    return short(short_dtypes=True) if short is not None else str(aval)


def tracer_aval_text(value: object) -> str:
    """The aval of a traced value; empty for anything else."""
    aval = getattr(value, "aval", None)
    return aval_text(aval) if aval is not None else ""


def _inner_jaxprs(parameters: dict[str, object]) -> Iterator[object]:
    for value in parameters.values():
        for item in value if isinstance(value, tuple | list) else (value,):
            if hasattr(getattr(item, "jaxpr", item), "eqns"):
                yield item


def _static_parameters(parameters: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Parameters that hold plain sizes, axes, names and numbers: what static values became."""
    for name, value in parameters.items():
        is_plain = isinstance(value, bool | int | float | str | tuple) and not _is_deep(value)
        if is_plain and name not in _BOOKKEEPING and value not in ((), False):
            yield name, _short(value)


def _is_deep(value: object) -> bool:
    """Whether a tuple holds anything but plain values: inner jaxprs, shardings, avals."""
    return isinstance(value, tuple) and not all(isinstance(v, bool | int | float | str) for v in value)


def _literal_text(value: object) -> str:
    # JAX's TypedInt and its kin are numbers that write themselves at length.
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return str(kind(value))
    return _short(value)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= MAXIMUM_TEXT else text[: MAXIMUM_TEXT - 1] + "…"


def _frames(equation: object) -> tuple[Frame, ...]:
    try:
        from jax._src import source_info_util

        traceback = equation.source_info.traceback
        return tuple(
            Frame(f.file_name, f.function_name, f.start_line, f.end_line, f.start_column, f.end_column)
            for f in source_info_util.user_frames(traceback)
        )
    except (ImportError, AttributeError):
        return ()  # equations are then listed without their places
