"""How far the reference machine agrees with the JAX that is installed.

    python bench/reference_agreement.py --sequences 10000 --programs 200
    python bench/reference_agreement.py --kept FOLDER --pieces 1    (again and again, until all pieces are there)

Random call sequences are played on both, and compared at every event: how often the Python function ran, and the
family of the error. Every sequence that disagrees is printed whole, with its seed; it is plain data that
``random_calls`` plays again. Random programs are staged on both and their jaxprs compared after renaming variables;
then values, gradients and batches are compared. It informs one decision: whether the machine may answer for JAX in
predictions and answer keys.
"""

import argparse
import collections
import json
import os
import pathlib
import sys
import tempfile
import time
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
PIECE = 250
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import jax  # noqa: E402  (after the environment above)
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: E402
from reference import random_calls, random_programs  # noqa: E402

from stagelight.reference import Machine  # noqa: E402


def cache_compilations():
    """Let XLA compile each of the many equal programs once."""
    jax.config.update("jax_compilation_cache_dir", tempfile.mkdtemp())
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def play_pieces(count, kept, at_most):
    """Play call sequences, a piece and a seed at a time; what earlier runs left in the folder is not played again."""
    seeds = range(-(-count // PIECE))
    todo = [seed for seed in seeds if not piece_file(kept, seed).exists()]
    for number in todo[:at_most]:
        told = play_sequences(min(PIECE, count - number * PIECE), number)
        piece_file(kept, number).write_text(json.dumps(told))
    total = collections.Counter()
    for number in seeds:
        if piece_file(kept, number).exists():
            total.update(json.loads(piece_file(kept, number).read_text()))
    return total


def piece_file(kept, number):
    return pathlib.Path(kept, f"{jax.__version__}-{number}.json")


def play_sequences(count, first_seed):
    """Play random call sequences, and print those that disagree."""
    warnings.simplefilter("ignore")
    cache_compilations()
    random_calls.register_with_jax()
    told = collections.Counter({"sequences that disagree": 0})

    @seed(first_seed)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(random_calls.sequence)
    def compare(sequence):
        theirs = random_calls.JaxWorld().play(sequence)
        ours = random_calls.MachineWorld(jax.__version__).play(sequence)
        told["sequences"] += 1
        told["events compared"] += len(theirs)
        told["events that traced"] += sum(bool(runs) for runs, _ in theirs)
        told["events that raised"] += sum(bool(error) for _, error in theirs)
        told["events served from a cache"] += sum(not runs and not error for runs, error in theirs[3:])
        told.update(f"sequences with {what}" for what in sorted(random_calls.met_in(sequence)))
        if theirs != ours:
            told["sequences that disagree"] += 1
            print(f"seed {first_seed} disagrees:\n  sequence {sequence!r}\n  JAX      {theirs}\n  machine  {ours}")

    compare()
    return told


def compare_jaxprs(count, first_seed):
    """Stage random programs on both sides."""
    machine = Machine(jax.__version__)
    told, primitives = collections.Counter(), set()
    for number in range(first_seed, first_seed + count):
        program = random_programs.Program(number, random_programs.probe_on(machine))
        theirs = jax.make_jaxpr(lambda *a: program(jnp, jax.lax, jax.jit, *a))(*program.inputs)
        ours = machine.make_jaxpr(lambda *a: program(machine.numpy, machine.lax, machine.jit, *a))(*program.inputs)
        different = random_programs.differences(theirs, ours.jaxpr)
        told["programs"] += 1
        told["equations"] += random_programs.equation_count(ours.jaxpr, primitives)
        told["programs that differ"] += bool(different)
        for line in different[:3]:
            print(f"  program {number}: {line}")
    told["primitives met"] = len(primitives)
    return told


def compare_values(count, first_seed):
    """Values, gradients and batches; the largest difference, relative to one plus the size of the value."""
    machine = Machine(jax.__version__)
    largest = collections.defaultdict(float)
    for number in range(first_seed, first_seed + count):
        for what, theirs, ours in random_programs.value_pairs(number, machine):
            for a, b in zip(theirs, ours, strict=True):
                a, b = np.asarray(a), np.asarray(b)
                what_ = f"{what}{', float16' if a.dtype == np.float16 else ''}"
                largest[what_] = max(largest[what_], random_programs.distance(a, b))
    return largest


def size_of_room():
    """Lines of code of the machine, its operations included."""
    return sum(map(random_programs.code_line_count, (ROOT / "src/stagelight/reference").rglob("*.py")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", type=int, default=10_000)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument(
        "--values", type=int, default=100, help="programs whose values, gradients and batches are compared"
    )
    parser.add_argument("--kept", default=tempfile.mkdtemp(), help="folder of the pieces that were played")
    parser.add_argument("--pieces", type=int, default=10**6, help="call sequences: pieces of 250 to play in this run")
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"JAX {jax.__version__}, NumPy {np.__version__}, Python {sys.version.split()[0]}")
    print(f"python bench/reference_agreement.py {' '.join(sys.argv[1:])}".rstrip())
    for title, run, count in (
        ("Jaxprs", lambda count: compare_jaxprs(count, options.seed), options.programs),
        ("Values: largest difference / (1 + size)", lambda count: compare_values(count, options.seed), options.values),
        ("Call sequences", lambda count: play_pieces(count, options.kept, options.pieces), options.sequences),
    ):
        started = time.perf_counter()
        told = run(count) if count else {}
        print(f"\n{title} ({time.perf_counter() - started:.0f} s)")
        for name, value in sorted(told.items(), key=lambda row: row[0] if "with" in row[0] else ""):
            print(f"  {name:45} {value:>9,}" if isinstance(value, int) else f"  {name:45} {value:>9.1e}")
    print(f"\nLines of code, without blank lines, comments and docstrings: {size_of_room():,}")


if __name__ == "__main__":
    main()
