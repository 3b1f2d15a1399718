"""Many specializations of one function: does a miss grow dearer with the number of earlier ones?

Decides how attribution keeps its history. Each row traces and lowers one function for that many shapes in a process of
its own; watched and unwatched take turns. The target is at most 1.3 watched / unwatched, no dearer a miss at 4,800
than at 1,200. JAX's own explanation of cache misses stands beside it at sizes that it can finish.

    python bench/many_specializations.py
"""

import argparse
import json
import statistics
import subprocess
import sys
import time


def measure(way: str, count: int) -> dict[str, float]:
    """Trace and lower ``count`` shapes in this process; returns the seconds of that, and of attribution after it."""
    import contextlib
    import logging

    import jax
    import jax.numpy as jnp

    import stagelight

    logging.getLogger("jax").addHandler(logging.NullHandler())
    logging.getLogger("jax").propagate = False
    jax.config.update("jax_explain_cache_misses", way == "explained by JAX")
    function = jax.jit(lambda x: x * 2 + 1)
    function.lower(jax.ShapeDtypeStruct((1,), jnp.float32))
    around = stagelight.watch() if way == "watched" else contextlib.nullcontext()
    with around as ledger:
        began = time.perf_counter()
        for size in range(2, count + 2):
            function.lower(jax.ShapeDtypeStruct((size,), jnp.float32))
        lower_s = time.perf_counter() - began
    began = time.perf_counter()
    misses = len(stagelight.why(ledger).misses) if way == "watched" else 0
    return {"lower_s": lower_s, "why_s": time.perf_counter() - began, "misses": misses}


def in_child(way: str, count: int) -> dict[str, float]:
    """``measure`` in a fresh process."""
    command = [sys.executable, __file__, "--child", way, str(count)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def row(way: str, count: int, repeats: int) -> None:
    """Measure one way against unwatched, in turns, and print it."""
    runs = [(in_child("unwatched", count), in_child(way, count)) for _ in range(repeats)]
    plain_ms = 1e3 * statistics.median(plain["lower_s"] for plain, _ in runs) / count
    other_ms = 1e3 * statistics.median(other["lower_s"] for _, other in runs) / count
    each = [other["lower_s"] / plain["lower_s"] for plain, other in runs]
    why_ms = 1e3 * statistics.median(other["why_s"] for _, other in runs) / count
    ratio = f"{statistics.median(each):.2f} ({min(each):.2f} to {max(each):.2f})"
    print(f"{way:<17} {count:>6} {plain_ms:>12.3f} {other_ms:>10.3f}   {ratio:<22} {why_ms:>8.3f}", flush=True)


def main() -> None:
    """Print the table; with ``--child``, one measurement as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child", nargs=2, metavar=("WAY", "COUNT"), help=argparse.SUPPRESS)
    parser.add_argument("--repeats", type=int, default=3, help="processes a row and side (default 3)")
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.child[0], int(options.child[1]))))
        return
    import jax

    print(
        f"JAX {jax.__version__}; medians of {options.repeats} processes a side; ms a specialization, traced and lowered"
    )
    print(f"{'way':<17} {'count':>6} {'unwatched ms':>12} {'ms':>10}   {'ratio (range)':<22} {'why, ms':>8}")
    for way, count in [("watched", 1200), ("watched", 4800), ("explained by JAX", 300), ("explained by JAX", 600)]:
        row(way, count, options.repeats)


if __name__ == "__main__":
    main()
