"""Processor time of `check` against `ast.parse` of the same files, in one process: cold, and with its cache.

Decides whether `check` can run on every commit. Usage: python bench/check_speed.py FOLDER...
"""

import argparse
import ast
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path

from stagelight.inspection.configuration import CheckConfiguration
from stagelight.inspection.discovery import discover_files
from stagelight.inspection.inspector import inspect_files


def parse_s(files):
    start = time.process_time()
    for path in files:
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
    return time.process_time() - start


def check_s(folder):
    start = time.process_time()
    inspect_files((str(folder),), CheckConfiguration(), jobs=1)
    return time.process_time() - start


def measure(folder, rounds):
    files = discover_files((str(folder),))
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    parse, cold, cached = [], [], []
    for _ in range(rounds):
        # The three stand side by side in one round, so that a busy machine slows them alike.
        with tempfile.TemporaryDirectory() as empty:
            os.chdir(empty)
            parse.append(parse_s(files))
            cold.append(check_s(folder))
            cached.append(check_s(folder))
            os.chdir("/")
    return len(files), lines, parse, cold, cached


def spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=lambda text: Path(text).resolve())
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    version = platform.python_version()
    print(f"Python {version}, {options.rounds} rounds, median (min-max); processor time of one process")
    print(f"{'package':<16}{'files':>6}{'lines':>8}{'parse s':>9}{'cold / parse':>20}{'cached / parse':>20}")
    totals = [0.0, 0.0, 0.0]
    for folder in options.folders:
        files, lines, parse, cold, cached = measure(folder, options.rounds)
        ratios_cold = [c / p for c, p in zip(cold, parse, strict=True)]
        ratios_cached = [c / p for c, p in zip(cached, parse, strict=True)]
        for position, values in enumerate((parse, cold, cached)):
            totals[position] += statistics.median(values)
        print(
            f"{folder.name:<16}{files:>6}{lines:>8}{statistics.median(parse):>9.2f}"
            f"{spread(ratios_cold):>20}{spread(ratios_cached):>20}"
        )
    print(f"{'all':<30}{totals[0]:>9.2f}{totals[1] / totals[0]:>20.2f}{totals[2] / totals[0]:>20.2f}")


if __name__ == "__main__":
    main()
