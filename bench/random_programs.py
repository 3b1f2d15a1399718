"""Random programs with one or two changed key parts: is exactly the right set of causes said?

    python bench/random_programs.py --programs 300 --seed 0

Runs on the JAX of the Python it is started with. Informs: whether a cause may be shown without a word of doubt.
"""

import argparse
import collections
import os
import pathlib
import random
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2 --xla_backend_optimization_level=0")
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import jax  # noqa: E402  (after the environment above)
from attribution.real_programs import random_program  # noqa: E402


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--programs", type=int, default=300)
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("-k", default="", help="only programs whose name holds this text")
    args = ask.parse_args()
    draw = random.Random(args.seed)
    began = time.perf_counter()
    wrong, causes, ran = 0, collections.Counter(), 0
    for number in range(args.programs):
        program = random_program(random.Random(draw.random()))
        if args.k not in program.name:
            continue
        ran += 1
        said = program.said()
        causes.update(program.causes)
        if said != program.causes:
            wrong += 1
            print(f"{number}: {program.name}: wanted {sorted(program.causes)}, said {sorted(said)}", flush=True)
    print(f"JAX {jax.__version__}: {ran - wrong} of {ran} programs, the exact set of causes each")
    print(f"{time.perf_counter() - began:.0f} s, seed {args.seed}")
    print("\ncauses wanted:", ", ".join(f"{slug} {count}" for slug, count in sorted(causes.items())))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
