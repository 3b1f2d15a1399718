"""One trace of a function with symbolic sizes, and under which true sizes it holds."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import msgspec
from jax import export

from stagelight.adapters.symbolic_context import is_tracer
from stagelight.adapters.symbolic_equality import HookMoved, unproved_equalities
from stagelight.adapters.symbolic_equations import JaxprParts
from stagelight.bucketing.dimensions import is_symbolic
from stagelight.bucketing.mask_plan import MaskPlan
from stagelight.errors import BucketingRefused
from stagelight.sizes.bounds import bounds

# A size has no greatest value unless the trace is one bucket's own.
_UNBOUNDED = 2**30


class LeafSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The abstract value of one dynamic leaf; each dimension as text."""

    shape: tuple[str, ...]
    dtype: Any
    weak_type: bool


class SymbolicTrace(msgspec.Struct, frozen=True, kw_only=True):
    """A jaxpr with symbolic dimensions.

    Attributes:
        jaxpr: The jaxpr.
        input_shapes: The logical shapes of its inputs.
        output_shapes: The logical shapes of its outputs.
        output_tree: The pytree structure of the function's result.
        guards: Differences of sizes, as text, that JAX assumed not to be zero.
        least: The least size of each name for which it holds.
        trace_s: Seconds that tracing took.
        mask_plan: Which values to mask where they are defined; found by the first run.
    """

    jaxpr: Any
    input_shapes: tuple[tuple[Any, ...], ...]
    output_shapes: tuple[tuple[Any, ...], ...]
    output_tree: Any
    guards: tuple[str, ...]
    least: Mapping[str, int]
    trace_s: float
    mask_plan: MaskPlan


def trace_symbolically(
    function: Callable[..., Any],
    leaves: Sequence[LeafSpec],
    least: Mapping[str, int],
    greatest: Mapping[str, int] | None,
) -> SymbolicTrace:
    """Trace a function of flat leaves with symbolic sizes.

    Args:
        function: A function of as many arrays as there are leaves.
        leaves: What they are.
        least: The least size of each name.
        greatest: The greatest size of each name, or None where it has none.

    Raises:
        BucketingRefused: The function closes over a traced value, or JAX's equality hook has moved.
        Exception: Whatever the function or JAX raises while tracing.
    """
    started = time.perf_counter()
    scope = export.SymbolicScope(_constraints(least, greatest))
    specs = [_spec(leaf, scope) for leaf in leaves]
    try:
        with unproved_equalities() as assumed:
            jaxpr, result = jax.make_jaxpr(function, return_shape=True)(*specs)
    except HookMoved:
        raise BucketingRefused(_HOOK_MOVED) from None
    if any(is_tracer(captured) for captured in JaxprParts(jaxpr).captured):
        raise BucketingRefused(_CLOSES_OVER_TRACER)
    outputs, output_tree = jax.tree.flatten(result)
    ranges = {name: (low, greatest[name] if greatest else _UNBOUNDED) for name, low in least.items()}
    return SymbolicTrace(
        jaxpr=jaxpr,
        input_shapes=tuple(tuple(spec.shape) for spec in specs),
        output_shapes=tuple(tuple(output.shape) for output in outputs),
        output_tree=output_tree,
        guards=tuple(text for text in assumed if _can_be_zero(text, ranges)),
        least=dict(least),
        trace_s=time.perf_counter() - started,
        mask_plan=MaskPlan(),
    )


def is_ragged(shape: Sequence[Any]) -> bool:
    """Whether a logical shape has a symbolic dimension."""
    return any(map(is_symbolic, shape))


def _constraints(least: Mapping[str, int], greatest: Mapping[str, int] | None) -> list[str]:
    lower = [f"{name} >= {size}" for name, size in least.items()]
    return lower + [f"{name} <= {size}" for name, size in (greatest or {}).items()]


def _spec(leaf: LeafSpec, scope: Any) -> jax.ShapeDtypeStruct:
    shape = tuple(
        int(text) if text.isdecimal() else export.symbolic_shape(f"{text},", scope=scope)[0] for text in leaf.shape
    )
    return jax.ShapeDtypeStruct(shape, leaf.dtype, weak_type=leaf.weak_type and not is_ragged(shape))


def _can_be_zero(difference: str, ranges: Mapping[str, tuple[int, int]]) -> bool:
    low, high = bounds(difference, ranges)
    return low <= 0 <= high


_HOOK_MOVED = (
    "this version of JAX no longer asks symbolic sizes whether they are equal where Stagelight can see it, so a branch "
    "such as `if n == 17` could be traced wrongly.\n"
    "  Use a JAX version that Stagelight was tested with (see `stagelight doctor`), or on_unsupported='exact'."
)
_CLOSES_OVER_TRACER = (
    "the function closes over a value that is being traced, so its program cannot be kept.\n"
    "  Pass that value as an argument."
)
