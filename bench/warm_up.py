"""Warm-up of many specializations against a plain loop of first calls.

Decides whether warming up is worth a thread pool. Target on two cores: at most 0.85 of the loop's wall time, with at
least 1.8 cores busy; afterwards no call is traced, lowered or compiled. Each way runs in processes of its own, in
turns, and the persistent cache is off.

    python bench/warm_up.py
"""

import argparse
import json
import statistics
import subprocess
import sys
from importlib import metadata

CHILD = """
import json, sys, time
import jax, jax.numpy as jnp
import stagelight

way, count, layers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

@jax.jit
def step(params, x):
    def loss(params):
        y = x
        for w, b in params:
            y = jnp.tanh(y @ w + b)
        return (y ** 2).mean()
    return jax.grad(loss)(params)

params = [(jnp.ones((16, 16)), jnp.ones(16)) for _ in range(layers)]
inputs = [jnp.ones((n + 1, 16)) for n in range(count)]
jax.block_until_ready(inputs)
began, cpu = time.perf_counter(), time.process_time()
if way == "loop":
    for x in inputs:
        jax.block_until_ready(step(params, x))
else:
    done = stagelight.warm(step, [(params, x) for x in inputs])
    assert all(call.outcome == "compiled" for call in done.calls), done
wall, cpu = time.perf_counter() - began, time.process_time() - cpu
with stagelight.watch() as ledger:
    for x in inputs:
        step(params, x)
    misses = [m for m in stagelight.why(ledger).misses if m.ledger != "dispatch"]
print(json.dumps({"wall": wall, "cores": cpu / wall, "misses": len(misses)}))
"""


def measured(way: str, options: argparse.Namespace) -> dict[str, float]:
    """One run of one way."""
    command = [sys.executable, "-c", CHILD, way, str(options.specializations), str(options.layers)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Run both ways in turns and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--specializations", type=int, default=64)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    runs = {"loop": [], "warm": []}
    for _ in range(options.runs):
        for way, results in runs.items():
            results.append(measured(way, options))
    ratios = sorted(w["wall"] / p["wall"] for p, w in zip(runs["loop"], runs["warm"], strict=True))
    what = f"{options.specializations} specializations of a gradient of {options.layers} layers"
    print(f"JAX {metadata.version('jax')}; {what}, {options.runs} runs of each way, in turns")
    for way, results in runs.items():
        wall = statistics.median(r["wall"] for r in results)
        cores = statistics.median(r["cores"] for r in results)
        print(
            f"  {way:<5} {wall:6.2f} s  {cores:4.2f} cores busy  {max(r['misses'] for r in results)} misses afterwards"
        )
    print(f"  warm / loop: {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
