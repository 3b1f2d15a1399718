"""What a guard costs a cached call, and what a guard that has fired leaves behind.

Decides whether a guard may stand around a whole training run or server. The target is a median of at most 1.02, both
under a guard and after one has fired and its cause is gone; beside it stands unguarded against itself, which shows what
this machine can tell apart.

    python bench/guards.py
"""

import argparse
import contextlib
import gc
import statistics
import time

import jax
import jax.numpy as jnp
from side_by_side import block_s, ratios, spread

import stagelight


def cases() -> dict[str, tuple[object, tuple[object, ...], int]]:
    """Name → jitted function, its arguments, and calls a block."""
    scalar = jnp.float32(1)
    leaves = {f"layer{i}": {"w": jnp.ones((8, 8)), "b": jnp.ones(8)} for i in range(30)}
    inner = jax.jit(lambda x: x + 1)
    return {
        "scalar": (jax.jit(lambda x: x * 2), (scalar,), 2000),
        "60 leaves": (jax.jit(lambda tree, x: x * 2), (leaves, scalar), 400),
        "nested jit": (jax.jit(lambda x: inner(x) * 2), (scalar,), 2000),
    }


def repeated(function, arguments, times: int):
    """A block of work: that many calls, each awaited."""

    def work():
        for _ in range(times):
            function(*arguments).block_until_ready()

    return work


def fire(function, arguments) -> None:
    """Let a guard stop a call of the function with another last argument."""
    try:
        with stagelight.no_retrace():
            function(*arguments[:-1], jnp.ones(3))
    except stagelight.RetraceForbidden:
        return
    raise SystemExit("the guard did not fire")


def fired_against_fresh(name: str, count: dict[str, int]) -> list[float]:
    """A function after its guard has fired, against a twin that was never guarded."""
    fired, arguments, times = cases()[name]
    fresh = cases()[name][0]
    works = {"fired": repeated(fired, arguments, times), "fresh": repeated(fresh, arguments, times)}
    for work in works.values():
        work()
    fire(fired, arguments)
    for work in works.values():
        work()
    return sorted(
        statistics.median(after / before for before, after in neighbours_s(works, count["blocks"]))
        for _ in range(count["estimates"])
    )


def neighbours_s(works, blocks: int) -> list[tuple[float, float]]:
    """Neighbouring timings of the fresh and the fired function, the order changing every time."""
    pairs = []
    for number in range(blocks):
        order = ("fresh", "fired") if number % 2 else ("fired", "fresh")
        taken = {which: seconds_of(works[which]) for which in order}
        pairs.append((taken["fresh"], taken["fired"]))
    return pairs


def seconds_of(work) -> float:
    """How long a block takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    """Measure each case three ways and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--estimates", type=int, default=5, help="estimates a row (default 5)")
    parser.add_argument("--blocks", type=int, default=60, help="alternated blocks an estimate (default 60)")
    options = parser.parse_args()
    count = {"estimates": options.estimates, "blocks": options.blocks}
    plain = contextlib.nullcontext
    print(f"JAX {jax.__version__}; median of {options.estimates} estimates (range), {options.blocks} pairs of blocks")
    print(f"{'call':<12} {'µs':>7}  {'guarded / plain':<24} {'after it fired / fresh':<24} {'plain / plain':<24}")
    gc.disable()
    for name, (function, arguments, times) in cases().items():
        work = repeated(function, arguments, times)
        call_us = 1e6 * min(block_s(work, plain) for _ in range(9)) / times
        guarded = spread(ratios(work, plain, stagelight.no_retrace, **count))
        fired = spread(fired_against_fresh(name, count))
        itself = spread(ratios(work, plain, plain, **count))
        print(f"{name:<12} {call_us:>7.1f}  {guarded:<24} {fired:<24} {itself:<24}", flush=True)


if __name__ == "__main__":
    main()
