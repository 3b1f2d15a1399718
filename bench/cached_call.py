"""What recording costs a cached call: watched divided by unwatched, for three sizes of call.

Decides whether recording may be left on for a whole training run. The target is a median of at most 1.02; beside it
stands the same measurement of unwatched against itself, which shows what this machine can tell apart.

    python bench/cached_call.py
"""

import argparse
import contextlib
import gc

import jax
import jax.numpy as jnp
from side_by_side import block_s, ratios, spread

import stagelight


def calls() -> dict[str, tuple[object, tuple[object, ...], int]]:
    """Name → jitted function, its arguments, and calls a block: about 10 ms of work each."""
    scalar = jnp.float32(1)
    leaves = {f"layer{i}": {"w": jnp.ones((8, 8)), "b": jnp.ones(8)} for i in range(30)}
    square = jnp.ones((350, 350))
    return {
        "scalar": (jax.jit(lambda x: x * 2), (scalar,), 2000),
        "60 leaves": (jax.jit(lambda tree, x: x * 2), (leaves, scalar), 400),
        "matrix product": (jax.jit(lambda x: x @ x @ x), (square,), 10),
    }


def repeated(function, arguments, times: int):
    """A block of work: that many calls, each awaited."""

    def work():
        for _ in range(times):
            function(*arguments).block_until_ready()

    return work


def main() -> None:
    """Measure each size both ways and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--estimates", type=int, default=5, help="estimates a row (default 5)")
    parser.add_argument("--blocks", type=int, default=60, help="alternated blocks an estimate (default 60)")
    options = parser.parse_args()
    count = {"estimates": options.estimates, "blocks": options.blocks}
    plain = contextlib.nullcontext
    print(
        f"JAX {jax.__version__}; median of {options.estimates} estimates (range), {options.blocks} pairs of blocks each"
    )
    print(f"{'call':<16} {'µs a call':>10}  {'watched / unwatched':<26} {'unwatched / unwatched':<26}")
    gc.disable()
    for name, (function, arguments, times) in calls().items():
        work = repeated(function, arguments, times)
        call_us = 1e6 * min(block_s(work, plain) for _ in range(9)) / times
        watched = spread(ratios(work, plain, stagelight.watch, **count))
        unwatched = spread(ratios(work, plain, plain, **count))
        print(f"{name:<16} {call_us:>10.1f}  {watched:<26} {unwatched:<26}")


if __name__ == "__main__":
    main()
