"""What recording adds to one trace, by the size of the traced function.

Decides how much a record may hold. The target for a function of n equations is at most 0.45 of a bare trace of
``x * 2`` plus 1.5 µs an equation, and at most 3 % on top of tracing the gradient of a 30-layer network. Equations are
made in two ways: by ``lax.mul``, and by ``x * 2``, which in this JAX is a call of the jitted ``jnp.multiply`` each
time: it passes the hooks of a call and raises two exceptions inside, which a recording hears. The yardstick, a bare
trace of ``x * 2``, is measured anew beside every row, since the speed of a shared machine changes within minutes.

    python bench/trace_cost.py
    python bench/trace_cost.py --keep /tmp/kept.jsonl
"""

import argparse
import contextlib
import functools
import gc
import operator
import statistics

import jax
import jax.numpy as jnp
from side_by_side import block_s, pairs_s, ratios, spread

import stagelight
from stagelight.adapters.equations import count_equations

ARGUMENT = jnp.ones(())
WAYS = {"x * 2": operator.mul, "lax.mul": jax.lax.mul}


def chain(operations: int, multiply):
    """Work that traces new copies of a function of so many operations, how many copies, and how many equations."""
    copies = max(10, 100 // operations)

    def trace():
        def f(x):
            for _ in range(operations):
                x = multiply(x, 2.0)
            return x

        return jax.jit(f).trace(ARGUMENT)

    def work():
        for _ in range(copies):
            trace()

    return work, copies, count_equations(trace().jaxpr)


def network_gradient():
    """Work that traces the gradient of a 30-layer network with 60 parameters anew."""
    parameters = [{"w": jnp.ones((8, 8)), "b": jnp.zeros(8)} for _ in range(30)]
    inputs = jnp.ones((4, 8))

    def work():
        def loss(parameters, x):
            for layer in parameters:
                hidden = x @ layer["w"] + layer["b"]
                x = jnp.where(hidden > 0, jnp.tanh(hidden), jax.nn.gelu(x) + jnp.mean(x))
            return x.sum()

        jax.jit(jax.grad(loss)).trace(parameters, inputs)

    return work


def main() -> None:
    """Print one row a size, and the ratio for the gradient."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=12, help="alternated blocks a row, in pairs (default 12)")
    parser.add_argument("--keep", metavar="FILE", help="keep the ledger here: then each entry is written at once")
    parser.add_argument("--estimates", type=int, default=5, help="estimates for the gradient (default 5)")
    options = parser.parse_args()
    plain = contextlib.nullcontext
    watch = functools.partial(stagelight.watch, options.keep, force=True) if options.keep else stagelight.watch
    print(f"JAX {jax.__version__}; medians of {2 * options.blocks} pairs of blocks in turns")
    heads = ("operations", "made by", "equations", "yardstick µs", "bare µs", "watched µs", "added µs", "allowed µs")
    print("".join(f"{head:>13}" for head in heads))
    gc.disable()
    yardstick, yardstick_copies, _ = chain(1, operator.mul)
    for name, multiply in WAYS.items():
        for operations in (1, 10, 100, 400):
            work, copies, equations = chain(operations, multiply)
            pairs, yardsticks_s = [], []
            for _ in range(options.blocks):
                yardsticks_s.append(block_s(yardstick, plain) / yardstick_copies)
                pairs += pairs_s(work, plain, watch, blocks=2)
            yardstick_us = 1e6 * statistics.median(yardsticks_s)
            bare_us, watched_us = (1e6 * statistics.median(side) / copies for side in zip(*pairs, strict=True))
            added_us = 1e6 * statistics.median(second - first for first, second in pairs) / copies
            figures = (equations, yardstick_us, bare_us, watched_us, added_us, 0.45 * yardstick_us + 1.5 * equations)
            print(f"{operations:>13}{name:>13}" + "".join(f"{figure:>13.0f}" for figure in figures))
    work = network_gradient()
    counts = {"estimates": options.estimates, "blocks": max(4, options.blocks)}
    print(f"gradient of 30 layers, watched / unwatched:   {spread(ratios(work, plain, watch, **counts))}")
    print(f"gradient of 30 layers, unwatched / unwatched: {spread(ratios(work, plain, plain, **counts))}")


if __name__ == "__main__":
    main()
