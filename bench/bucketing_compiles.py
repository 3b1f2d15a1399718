"""How many executables ragged sizes cost, bucketed and with plain ``jax.jit``; each measured in its own process.

    python bench/bucketing_compiles.py

Decides whether bucketing is worth its padding for programs whose sizes are many: 200 distinct sizes of an MLP training
step from cold, and 10,000 calls of sizes drawn at run time from three distributions.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

import jax
import numpy as np

import stagelight

DISTRIBUTIONS = ("uniform", "zipf", "log-normal")


def parameters(random):
    def normal(*shape):
        return (random.normal(size=shape) * 0.1).astype(np.float32)

    zeros = np.zeros
    return {"w": normal(64, 256), "b": zeros(256, np.float32), "v": normal(256, 8), "c": zeros(8, np.float32)}


def step(parameters, x, y):
    def loss(p):
        return ((jax.numpy.tanh(x @ p["w"] + p["b"]) @ p["v"] + p["c"] - y) ** 2).mean()

    value, gradients = jax.value_and_grad(loss)(parameters)
    return jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradients), value


def executables():
    """A list that grows by one with each executable that XLA compiles."""
    found = []

    def listen(event, _seconds, **_details):
        if "backend_compile" in event:
            found.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    return found


def cold(kind, check_first, smallest):
    """200 distinct sizes in 2..512, from cold: compiles, seconds, and the parameters that they end with."""
    random = np.random.default_rng(0)
    sizes = random.permutation(np.arange(2, 513))[:200]
    if smallest not in sizes:
        sizes[0] = smallest  # size 1 runs unpadded: an executable of its own
    batches = [
        (random.normal(size=(n, 64)).astype(np.float32), random.normal(size=(n, 8)).astype(np.float32)) for n in sizes
    ]
    function = jax.jit(step)
    if kind == "bucketed":
        dims = {"x": {0: "b"}, "y": {0: "b"}}
        function = stagelight.bucketed(step, dims=dims, check_first=check_first)
    compiled, state = executables(), jax.device_put(parameters(random))
    jax.block_until_ready(state)
    compiled.clear()
    started = time.perf_counter()
    for batch in batches:
        state, _ = function(state, *batch)
    jax.block_until_ready(state)
    seconds = time.perf_counter() - started
    return {
        "compiles": len(compiled),
        "seconds": seconds,
        "sum": float(sum(np.abs(leaf).sum() for leaf in jax.tree.leaves(state))),
    }


def drawn(distribution, calls):
    """Sizes drawn at run time: executables against buckets that were used."""
    random = np.random.default_rng()
    draw = {
        "uniform": lambda: random.integers(2, 513),
        "zipf": lambda: min(512, 1 + random.zipf(1.5)),
        "log-normal": lambda: min(512, max(2, int(random.lognormal(4, 1)))),
    }[distribution]
    function = stagelight.bucketed(step, dims={"x": {0: "b"}, "y": {0: "b"}}, check_first=False)
    state, seen = jax.device_put(parameters(random)), set()
    pool_x, pool_y = random.normal(size=(512, 64)).astype(np.float32), random.normal(size=(512, 8)).astype(np.float32)
    compiled = executables()
    compiled.clear()
    for _ in range(calls):
        size = int(draw())
        seen.add(size)
        state, _ = function(state, pool_x[:size], pool_y[:size])
    report = function.buckets()
    padding = sum(b.padding_share * b.calls for b in report.buckets) / calls
    return {"sizes": len(seen), "buckets": len(report.buckets), "compiles": len(compiled), "padding": padding}


def in_own_process(*arguments):
    found = subprocess.run(
        [sys.executable, __file__, "--child", *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return json.loads(found.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--child", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        what, *rest = options.child
        print(
            json.dumps(
                cold(rest[0], rest[1] == "True", int(rest[2])) if what == "cold" else drawn(rest[0], int(rest[1]))
            )
        )
        return
    print(f"JAX {jax.__version__}, {jax.default_backend()}, {jax.devices()[0].device_kind}")
    print(f"\n200 distinct sizes, MLP 64-256-8 SGD step, cold; {options.rounds} rounds in turns")
    rows = {
        "plain jit": ("plain", False, 2),
        "bucketed, check_first=False": ("bucketed", False, 2),
        "bucketed": ("bucketed", True, 2),
        "bucketed, size 1 among them": ("bucketed", True, 1),
    }
    found = {name: [] for name in rows}
    for _ in range(options.rounds):
        for name, row in rows.items():
            found[name].append(in_own_process("cold", *row))
    for name, results in found.items():
        pairs = zip(found["plain jit"], results, strict=True)
        ratios = sorted(plain["seconds"] / own["seconds"] for plain, own in pairs)
        seconds = statistics.median(result["seconds"] for result in results)
        total, spread = results[0]["sum"], f"({ratios[0]:.1f} to {ratios[-1]:.1f})"
        print(f"{name:<30} compiles {results[0]['compiles']:>4}   {seconds:>7.2f} s   ", end="")
        print(f"ratio {statistics.median(ratios):>5.1f} {spread}   sum of parameters {total:.4f}")
    print(f"\n{options.calls} calls, sizes drawn at run time in 2..512")
    for name in DISTRIBUTIONS:
        result = in_own_process("drawn", name, options.calls)
        print(
            f"{name:<12} distinct sizes {result['sizes']:>4}   buckets used {result['buckets']:>2}   "
            f"compiles {result['compiles']:>2}   padding {result['padding']:.0%}"
        )


if __name__ == "__main__":
    main()
