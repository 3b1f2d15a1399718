"""How much larger a process grows because it is watched: 20,000 traces by ``eval_shape``.

Decides what a recorder may keep in memory once an event is written. The target is at most 12 MB more, with all traces
in the ledger.

    python bench/memory.py
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path


def resident_mb() -> float:
    """Resident size of this process, as Linux reports it."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def measure(way: str, traces: int) -> dict[str, float]:
    """Trace that many shapes; returns this process's size afterwards and how many traces the ledger holds."""
    import contextlib
    import gc

    import jax
    import jax.numpy as jnp

    import stagelight

    function = jax.jit(lambda x: x * 2 + 1)
    around = stagelight.watch() if way == "watched" else contextlib.nullcontext()
    with around as ledger:
        for size in range(1, traces + 1):
            jax.eval_shape(function, jax.ShapeDtypeStruct((size,), jnp.float32))
        gc.collect()
        size_mb = resident_mb()
    named = 0
    if way == "watched":
        named = sum(
            miss.ledger == "trace" and miss.function.name == "<lambda>" for miss in stagelight.why(ledger).misses
        )
    return {"size_mb": size_mb, "named": named}


def in_child(way: str, traces: int) -> dict[str, float]:
    """``measure`` in a fresh process."""
    command = [sys.executable, __file__, "--child", way, str(traces)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Print sizes side by side; with ``--child``, one measurement as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child", nargs=2, metavar=("WAY", "TRACES"), help=argparse.SUPPRESS)
    parser.add_argument("--traces", type=int, default=20_000, help="traces a process (default 20,000)")
    parser.add_argument("--repeats", type=int, default=3, help="processes a side (default 3)")
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.child[0], int(options.child[1]))))
        return
    import jax

    runs = [
        (in_child("unwatched", options.traces), in_child("watched", options.traces)) for _ in range(options.repeats)
    ]
    print(
        f"JAX {jax.__version__}; {options.traces:,} traces by eval_shape, {options.repeats} processes a side in turns"
    )
    for name, side in (("unwatched", 0), ("watched", 1)):
        sizes = [run[side]["size_mb"] for run in runs]
        print(f"{name:<10} {statistics.median(sizes):>7.1f} MB  ({min(sizes):.1f} to {max(sizes):.1f})")
    more = [watched["size_mb"] - plain["size_mb"] for plain, watched in runs]
    print(f"{'more':<10} {statistics.median(more):>7.1f} MB  ({min(more):.1f} to {max(more):.1f})")
    print(f"traces in the ledger: {', '.join(f'{watched["named"]:,}' for _, watched in runs)}")


if __name__ == "__main__":
    main()
