"""Which sizes of a function's arguments varied, and the bucket edges that fit them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from stagelight.sizes.fitting import fit, padding_share


class SeenCall(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of one function with one set of shapes.

    Attributes:
        shapes: Each argument's path as the user wrote it, with its shape.
        calls: How many calls had these shapes.
    """

    shapes: tuple[tuple[str, tuple[int | str, ...]], ...]
    calls: int = 1


class VaryingSize(msgspec.Struct, frozen=True, kw_only=True):
    """Axes whose sizes varied together, and edges for them.

    Attributes:
        axes: Each as its argument's path and its axis.
        counts: Each size with its calls, ascending.
        edges: The capacities that fit them.
        padding_share: The share of the elements that would be padding, between 0 and 1.
    """

    axes: tuple[tuple[str, int], ...]
    counts: tuple[tuple[int, int], ...]
    edges: tuple[int, ...]
    padding_share: float


def varying_sizes(
    calls: Sequence[SeenCall], *, compile_cost: float | None = None, at_most: int = 16, align: int = 1
) -> tuple[VaryingSize, ...]:
    """The axes whose size is not the same in all calls, those that vary together as one.

    Args:
        calls: The calls of one function.
        compile_cost: What one more bucket costs, in padded elements; see `stagelight.fit`.
        at_most: The greatest number of edges.
        align: Every edge is a multiple of this.
    """
    found: list[VaryingSize] = []
    for sizes, axes in _axes_by_sizes(calls).items():
        counts: Counter[int] = Counter()
        for size, call in zip(sizes, calls, strict=True):
            if size > 0:
                counts[size] += call.calls
        if len(counts) < 2:
            continue
        policy = fit(counts, compile_cost=compile_cost, at_most=at_most, align=align)
        found.append(
            VaryingSize(
                axes=tuple(axes),
                counts=tuple(sorted(counts.items())),
                edges=policy.capacities,
                padding_share=padding_share(counts, policy),
            )
        )
    return tuple(found)


def _axes_by_sizes(calls: Iterable[SeenCall]) -> dict[tuple[int, ...], list[tuple[str, int]]]:
    """For each sequence of sizes over the calls, the axes that had it; 0 where a call has no such axis."""
    seen = list(calls)
    sizes: defaultdict[tuple[str, int], list[int]] = defaultdict(lambda: [0] * len(seen))
    for number, call in enumerate(seen):
        for path, shape in call.shapes:
            for axis, size in enumerate(shape):
                if isinstance(size, int):
                    sizes[path, axis][number] = size
    grouped: dict[tuple[int, ...], list[tuple[str, int]]] = {}
    for axis, column in sizes.items():
        grouped.setdefault(tuple(column), []).append(axis)
    return grouped
