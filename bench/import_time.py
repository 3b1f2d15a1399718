"""How long importing Stagelight and asking for its help take, beyond an empty Python.

Decides whether the lazy table in ``stagelight/__init__.py`` and the lazy command group are still worth their lines.
The targets are 60 ms for the import and 200 ms for ``--help``.

    python bench/import_time.py
"""

import argparse
import platform
import statistics
import subprocess
import sys
import time

EMPTY = ["-c", "pass"]
IMPORT = ["-c", "import stagelight"]
WATCH = ["-c", "import stagelight; stagelight.watch"]
HELP = ["-m", "stagelight", "--help"]


def wall_ms(arguments: list[str]) -> float:
    """Milliseconds that a fresh interpreter takes for ``arguments``."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return 1e3 * (time.perf_counter() - began)


def main() -> None:
    """Measure in turns, so that all rows see the same machine; print medians and quartiles."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21, help="how often each command runs (default 21)")
    rounds = parser.parse_args().rounds
    commands = {
        "python -c pass": EMPTY,
        "import stagelight": IMPORT,
        "stagelight.watch": WATCH,
        "stagelight --help": HELP,
    }
    for arguments in commands.values():
        wall_ms(arguments)
    times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, arguments in commands.items():
            times[name].append(wall_ms(arguments))
    empty = statistics.median(times["python -c pass"])
    print(f"Python {platform.python_version()}, {rounds} rounds in turns")
    print(f"{'command':<20} {'median ms':>10} {'quartiles ms':>16} {'beyond empty':>13}")
    for name, samples in times.items():
        low, median, high = statistics.quantiles(samples, n=4)
        print(f"{name:<20} {median:>10.1f} {f'{low:.1f} to {high:.1f}':>16} {median - empty:>10.1f} ms")


if __name__ == "__main__":
    main()
