"""Time two ways of doing the same thing in turns within one process, so that both see the same machine."""

import statistics
import time
from collections.abc import Callable
from contextlib import AbstractContextManager


def block_s(work: Callable[[], object], around: Callable[[], AbstractContextManager[object]]) -> float:
    """Seconds that ``work`` takes inside ``around``; entering, one warm-up and leaving are not timed."""
    with around() as _ledger:
        work()
        began = time.perf_counter()
        work()
        return time.perf_counter() - began


def pairs_s(work, left, right, *, blocks: int) -> list[tuple[float, float]]:
    """``blocks`` neighbouring pairs of timings, the order within a pair changing every time."""
    pairs = []
    for number in range(blocks):
        if number % 2:
            first, second = block_s(work, left), block_s(work, right)
            pairs.append((first, second))
        else:
            second, first = block_s(work, right), block_s(work, left)
            pairs.append((first, second))
    return pairs


def ratios(work, left, right, *, estimates: int, blocks: int) -> list[float]:
    """Each estimate is the median over its pairs of right divided by left; sorted."""
    return sorted(
        statistics.median(second / first for first, second in pairs_s(work, left, right, blocks=blocks))
        for _ in range(estimates)
    )


def spread(values: list[float], form: str = ".3f") -> str:
    """Median and range as text."""
    return f"{statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"
