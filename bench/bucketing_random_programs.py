"""Random programs over two ragged axes, bucketed with poisoned padding, against the unpadded function, bit for bit.

    python bench/bucketing_random_programs.py --programs 2000

Decides whether the padding rules may be trusted together, and not only one by one. The unpadded function runs operation
by operation. Where plain ``jax.jit`` of it gives another result too, XLA compiles it wrongly, padded or not: such
programs are counted apart.
"""

import argparse
import os
import pathlib
import sys
import time

# Programs are compiled to be run twice: time spent in optimizing them is lost.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))

import jax
from bucketing.random_programs import OPERATIONS, PROGRAMS, differences, is_miscompiled
from hypothesis import HealthCheck, given, seed, settings

import stagelight


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tried, wrong, miscompiled, refused, operations, started = [], [], [], [], set(), time.perf_counter()

    @seed(options.seed)
    @settings(max_examples=options.programs, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(PROGRAMS)
    def run(steps):
        tried.append(len(steps))
        operations.update(operation for operation, *_ in steps)
        try:
            if differences(steps, seed=len(tried)):
                (miscompiled if is_miscompiled(steps, seed=len(tried)) else wrong).append(steps)
        except stagelight.BucketingRefused as refusal:
            refused.append(str(refusal))
        if len(tried) % 100 == 0:
            jax.clear_caches()
            seconds = time.perf_counter() - started
            print(f"  {len(tried)} programs, {len(wrong)} wrong, {len(refused)} refused, {seconds:.0f} s", flush=True)

    run()
    print(f"JAX {jax.__version__}, {jax.default_backend()}, seed {options.seed}")
    counts = (
        len(tried),
        2 * len(tried),
        sum(tried),
        f"{len(operations)} of {len(OPERATIONS)}",
        len(refused),
        len(miscompiled),
        len(wrong),
    )
    for row in (("programs", "results", "steps", "operations", "refused", "XLA wrong", "wrong"), counts):
        print("".join(f"{cell:>13}" for cell in row))
    for text in dict.fromkeys(refused[:5]):
        print("refused:", text)
    for steps in miscompiled[:2]:
        print("miscompiled by XLA, plain jit too:", steps)
    for steps in wrong[:5]:
        print("wrong:", steps)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
