"""Every lesson and project on one JAX: keys, starters, solutions, wrong repairs; and whether keys are as recorded.

Informs whether the course may say the same on every JAX that is supported. Run it in the environment of each:

    JAX_PLATFORMS=cpu PYTHONPATH=src python bench/lab_lessons.py
"""

import argparse
import sys
import time

from stagelight.lab.asking import Examiner
from stagelight.lab.course import course
from stagelight.lab.executions import differences, execution_from_linted, shipped_execution
from stagelight.lab.lesson_linting import linted
from stagelight.lab.project_reading import projects
from stagelight.lab.project_stages import project_complaints


def lesson_row(lesson, examiner) -> tuple[str, bool]:
    found = linted(lesson, examiner)
    wrong = [verdict for _, what, verdict in found.verdicts if what.startswith("wrong ")]
    rejected = sum(verdict.kind != "passed" for verdict in wrong)
    recorded = shipped_execution(lesson)
    others = list(differences(recorded, execution_from_linted(lesson, found))) if recorded is not None else []
    keys = sum(one.subject.startswith("key ") for one in others)
    row = (
        f"{lesson.number:>2} {lesson.name:<30} {len(found.program.answers):>4} {len(lesson.exercises):>7} "
        f"{rejected:>4} of {len(wrong):<3} {keys:>10} {len(others) - keys:>9} {len(found.complaints):>10}"
    )
    for complaint in found.complaints:
        row += f"\n     {complaint.line}: {complaint.message}"
    for one in others:
        row += f"\n     {one.subject}: {_short(one.recorded)} → {_short(one.here)}"
    return row, bool(found.complaints)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else line[:87] + "..."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=1, help="number of the first lesson")
    first = parser.parse_args().first
    import jax

    print(f"JAX {jax.__version__}, Python {sys.version.split()[0]}")
    print(f"   {'lesson':<30} keys repairs  rejected  other keys other out complaints")
    failed = False
    began = time.perf_counter()
    with Examiner() as examiner:
        for lesson in course()[first - 1 :]:
            row, is_wrong = lesson_row(lesson, examiner)
            failed = failed or is_wrong
            print(row, flush=True)
        for project in projects():
            complaints = list(project_complaints(project, examiner))
            failed = failed or bool(complaints)
            mutants = sum(len(stage.mutants) for stage in project.stages)
            print(f"   {project.name:<30} {len(project.stages)} stages, {mutants} wrong implementations, "
                  f"{len(complaints)} complaints")  # fmt: skip
            for complaint in complaints:
                print(f"     {complaint.line}: {complaint.message}")
    print(f"all in {time.perf_counter() - began:.0f} s: {'NOT GOOD' if failed else 'good'}")


if __name__ == "__main__":
    main()
