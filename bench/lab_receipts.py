"""Change every byte of a receipt, one at a time, in three ways: each must be rejected, with its place.

JAX_PLATFORMS=cpu PYTHONPATH=src python bench/lab_receipts.py
"""

import argparse
import os
import tempfile
from collections import Counter
from pathlib import Path

from stagelight.lab.asking import Examiner
from stagelight.lab.checking import answer_checkpoint, check_exercise, commit_predictions, run_lesson
from stagelight.lab.course import course
from stagelight.lab.executions import shipped_execution
from stagelight.lab.receipts import write_receipt
from stagelight.lab.study import started_study
from stagelight.lab.verification import receipt_from, verified
from stagelight.report.lesson_document import shown_answer

CHANGES = {"lowest bit": lambda byte: byte ^ 1, "case bit": lambda byte: byte ^ 32, "space": lambda byte: 32}


def receipt_of_first_lesson(folder: Path, examiner: Examiner) -> bytes:
    lesson = course()[0]
    keys = {name: shown_answer(value) for name, value in shipped_execution(lesson).answers}
    study = started_study(folder / "lab")
    commit_predictions(study, lesson, {one.id: keys[one.id] for one in lesson.predictions})
    run_lesson(study, lesson, examiner)
    for exercise in lesson.exercises:
        study.exercise_file(lesson, exercise).write_text(exercise.solution)
        assert check_exercise(study, lesson, exercise, examiner).kind == "passed"
    answer_checkpoint(study, lesson, {one.id: keys[one.id] for one in lesson.checkpoints})
    return write_receipt(study, lesson, examiner, "typed by a script").read_bytes()


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name, Examiner() as examiner:
        os.environ["STAGELIGHT_LAB_HOME"] = f"{name}/home"
        encoded = receipt_of_first_lesson(Path(name), examiner)
        assert verified(encoded, examiner) == ()
    print(f"a receipt of {len(encoded)} bytes, verified as it was written")
    for what, change in CHANGES.items():
        places, accepted, changed = Counter(), 0, 0
        for place, byte in enumerate(encoded):
            if change(byte) == byte:
                continue
            changed += 1
            findings = receipt_from(encoded[:place] + bytes([change(byte)]) + encoded[place + 1 :])[1]
            accepted += not findings
            kind = findings[0].field if findings else "accepted"
            places["a byte, by its number" if kind.startswith("byte ") else "a field, by its name"] += 1
        told = ", ".join(f"{number} as {kind}" for kind, number in places.most_common())
        print(f"{what}: {changed} bytes changed, {changed - accepted} rejected, {accepted} accepted; {told}")


if __name__ == "__main__":
    main()
