"""How long a learner waits: from `learn start` to the first green check, and from each save to its verdict.

A script types in a terminal of its own what a learner would, without pauses. Must: 20 s, and 3 s.

    JAX_PLATFORMS=cpu PYTHONPATH=src python bench/lab_speed.py --lessons 4
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pexpect

from stagelight.lab.course import course, stem_of
from stagelight.lab.executions import shipped_execution
from stagelight.report.lesson_document import shown_answer


def go_through(child: pexpect.spawn, lesson, place: Path, waits: list[float]) -> float:
    """One lesson up to its receipt; returns when the first repair was green."""
    keys = {name: shown_answer(value) for name, value in shipped_execution(lesson).answers}
    for question in lesson.predictions:
        child.expect_exact(f"{question.id} > ")
        child.sendline(keys[question.id])
    for _ in lesson.build:
        child.expect_exact("Enter appends")
        child.sendline()
    child.expect_exact("Enter goes on")
    child.sendline()
    first_green = 0.0
    for exercise in lesson.exercises:
        child.expect_exact("q quit")
        saved = time.perf_counter()
        (place / stem_of(lesson) / f"{exercise.name}.py").write_text(exercise.solution)
        child.expect_exact("Passed. n goes on")
        waits.append(time.perf_counter() - saved)
        first_green = first_green or time.perf_counter()
        child.expect_exact("q quit")
        child.send("n")
    for question in lesson.checkpoints:
        child.expect_exact(f"{question.id} > ")
        child.sendline(keys[question.id])
    child.expect_exact("In your own words")
    child.sendline("typed by a script")
    child.expect_exact("Enter goes on")
    child.sendline()
    return first_green


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lessons", type=int, default=len(course()))
    chosen = course()[: parser.parse_args().lessons]
    waits: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        environment = dict(os.environ, STAGELIGHT_LAB_HOME=f"{name}/home", TERM="xterm",
                           PYTHONPATH=str(Path(__file__).parents[1] / "src"))  # fmt: skip
        began = time.perf_counter()
        child = pexpect.spawn(sys.executable, ["-m", "stagelight", "learn", "start"], cwd=name, env=environment,
                              dimensions=(60, 100), encoding="utf-8", timeout=60)  # fmt: skip
        child.delaybeforesend = None
        greens = [go_through(child, lesson, Path(name, "stagelight-lab"), waits) for lesson in chosen]
        ended = time.perf_counter()
        child.close(force=True)
    import jax

    print(f"JAX {jax.__version__}, {os.cpu_count()} cores, {len(chosen)} lessons typed to their receipts")
    print(f"from `learn start` to the first green check: {greens[0] - began:.2f} s (must: 20)")
    print(f"from save to verdict, {len(waits)} saves: median {statistics.median(waits):.2f} s, "
          f"least {min(waits):.2f}, most {max(waits):.2f} (must: 3)")  # fmt: skip
    print(f"all of it: {ended - began:.0f} s")


if __name__ == "__main__":
    main()
