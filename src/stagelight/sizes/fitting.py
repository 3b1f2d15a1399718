"""Bucket edges that fit sizes that were seen: least padding plus compile cost, exactly.

The best edges are some of the sizes seen, so a dynamic program over the distinct sizes finds the minimum: the cost of
the first ``j`` sizes is the least, over the previous edge, of the cost up to it plus the padding of one more bucket
(the classic optimal partition of a sorted sequence; Bellman, 1961).
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from stagelight.errors import UsageError
from stagelight.sizes.policies import Edges

# The dynamic program is quadratic in the distinct sizes; beyond this many they are thinned to as many quantiles.
_DISTINCT_AT_MOST = 1024


def fit(
    sizes: Iterable[int] | Mapping[int, int],
    *,
    compile_cost: float | None = None,
    at_most: int = 16,
    align: int = 1,
) -> Edges:
    """The edges that minimise padding plus compile cost for sizes that were seen.

    Args:
        sizes: The sizes of the calls, one each, or a count for each size.
        compile_cost: What one more bucket costs, in padded elements of the axis; the default is a fiftieth of all
            elements seen, so that a bucket must save at least two percent of the work to be worth its compile.
        at_most: The greatest number of edges.
        align: Round every edge up to a multiple of this.

    Returns:
        A policy; its last edge holds the greatest size seen.

    Example:
        >>> import stagelight
        >>> stagelight.fit([7, 7, 8, 30, 31, 31, 32], compile_cost=4).capacities
        (8, 32)

    Raises:
        UsageError: There are no sizes, or one is not a positive integer.
    """
    counts = _counted(sizes)
    if at_most < 1 or align < 1:
        message = f"at_most and align must be at least 1, and are {at_most!r} and {align!r}"
        raise UsageError(message)
    aligned: Counter[int] = Counter()
    for size, count in counts.items():
        aligned[-(-size // align) * align] += count
    ascending = _thinned(sorted(aligned), aligned)
    cost = sum(size * count for size, count in counts.items()) / 50 if compile_cost is None else compile_cost
    return Edges(capacities=_least_cost(ascending, _cumulative(ascending, aligned), cost, at_most))


def padding_share(sizes: Iterable[int] | Mapping[int, int], policy: Edges) -> float:
    """The share of all elements of an axis that would be padding, between 0 and 1."""
    counts = _counted(sizes)
    real = sum(size * count for size, count in counts.items())
    return 1 - real / sum(policy.capacity(size) * count for size, count in counts.items())


def _counted(sizes: Iterable[int] | Mapping[int, int]) -> Counter[int]:
    counts = Counter({**sizes}) if isinstance(sizes, Mapping) else Counter(sizes)
    if not counts:
        message = "there are no sizes to fit edges to"
        raise UsageError(message)
    for size, count in counts.items():
        if not _is_positive(size) or not _is_positive(count):
            message = f"sizes must be positive integers with positive counts, and one is {size!r}: {count!r}"
            raise UsageError(message)
    return counts


def _is_positive(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _thinned(ascending: list[int], counts: Counter[int]) -> list[int]:
    """The sizes themselves, or as many quantiles of them as the dynamic program can afford."""
    if len(ascending) <= _DISTINCT_AT_MOST:
        return ascending
    step = sum(counts.values()) / _DISTINCT_AT_MOST
    kept: list[int] = []
    passed = 0
    for size in ascending:
        passed += counts[size]
        if passed >= step * (len(kept) + 1):
            kept.append(size)
    return kept if kept[-1] == ascending[-1] else [*kept, ascending[-1]]


def _cumulative(ascending: list[int], counts: Counter[int]) -> list[int]:
    """How many calls have at most each of the sizes, with a leading zero."""
    totals = [0]
    pending = sorted(counts.items())
    position = 0
    for edge in ascending:
        total = totals[-1]
        while position < len(pending) and pending[position][0] <= edge:
            total += pending[position][1]
            position += 1
        totals.append(total)
    return totals


def _least_cost(ascending: list[int], calls: list[int], compile_cost: float, at_most: int) -> tuple[int, ...]:
    # A bucket from the i-th size to the j-th costs edge * calls; the elements that are real are the same in every
    # choice of edges, so leaving them out changes no decision.
    count = len(ascending)
    best = [0.0] + [float("inf")] * count
    choices: list[list[int]] = []
    costs: list[float] = []
    for _ in range(min(at_most, count)):
        following, choice = _one_more_bucket(ascending, calls, best)
        choices.append(choice)
        costs.append(following[count] + compile_cost * len(choices))
        best = following
    buckets = costs.index(min(costs)) + 1
    return _chosen_edges(ascending, choices[:buckets])


def _one_more_bucket(ascending: list[int], calls: list[int], best: list[float]) -> tuple[list[float], list[int]]:
    following, choice = [float("inf")] * len(best), [0] * len(best)
    for last in range(1, len(best)):
        edge, upto = ascending[last - 1], calls[last]
        for first in range(last):
            cost = best[first] + edge * (upto - calls[first])
            if cost < following[last]:
                following[last], choice[last] = cost, first
    return following, choice


def _chosen_edges(ascending: list[int], choices: list[list[int]]) -> tuple[int, ...]:
    found: list[int] = []
    last = len(ascending)
    for choice in reversed(choices):
        found.append(ascending[last - 1])
        last = choice[last]
    return tuple(reversed(found))
