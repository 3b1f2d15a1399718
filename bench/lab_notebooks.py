"""Every lesson and project as a notebook, each in a Jupyter kernel of its own, solutions and recorded keys filled in.

Informs whether a learner may take any door. Needs nbclient and ipykernel beside JAX; run it in the environment of each
JAX:

    JAX_PLATFORMS=cpu PYTHONPATH=src python bench/lab_notebooks.py
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import nbclient
import nbformat

from stagelight.lab.course import stem_of
from stagelight.lab.executions import shipped_execution
from stagelight.lab.notebook_file import notebook_text
from stagelight.lab.project_notebook import project_notebook_text
from stagelight.lab.project_reading import shipped_called
from stagelight.model.lesson import Lesson
from stagelight.model.project import Project
from stagelight.report.lesson_document import shown_answer


def said_by(text: str, folder: str) -> str:
    """What the cells of a notebook say when a new kernel runs them in a folder.

    Raises:
        CellExecutionError: A cell raised.
    """
    notebook = nbformat.reads(text, 4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}})
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return "\n".join(str(one.get("text") or one.get("data", {}).get("text/plain", "")) for one in outputs)


def solved(one: Lesson | Project) -> tuple[str, dict[str, int]]:
    """The solved notebook, and how often each text must be said."""
    if isinstance(one, Project):
        wanted = {f"Stage {stage.number}: {stage.title}  passed": 2 for stage in one.stages}
        return project_notebook_text(one, is_solved=True), wanted
    execution = shipped_execution(one)
    assert execution is not None, f"{one.name} is not recorded as it is: scripts/lessons.sh"
    keys = {name: shown_answer(value) for name, value in execution.answers}
    predicted, asked = len(one.predictions), len(one.checkpoints)
    wanted = {f"{exercise.name}  passed": 1 for exercise in one.exercises}
    wanted |= {f"Your predictions: {predicted} of {predicted} right": 1, f"Checkpoint: {asked} of {asked} right": 1}
    return notebook_text(one, is_solved=True, keys=keys), {**wanted, f"{stem_of(one)}.json": 1}


def complaints(one: Lesson | Project) -> list[str]:
    """What is wrong with one notebook."""
    text, wanted = solved(one)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STAGELIGHT_LAB_HOME"] = f"{folder}/home"
        try:
            said = said_by(text, folder)
        except nbclient.exceptions.CellExecutionError as error:
            return [str(error).strip().splitlines()[-1]]
    missing = [f"not said {number} times: {what}" for what, number in wanted.items() if said.count(what) != number]
    return missing + [line for line in said.splitlines() if line.startswith("stagelight:")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="lessons or projects; all if absent")
    chosen = shipped_called(parser.parse_args().names)
    found = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1] / "src"), *([found] if found else [])])
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import jax

    print(f"JAX {jax.__version__}, Python {sys.version.split()[0]}, each notebook in a kernel of its own")
    failed = 0
    began = time.perf_counter()
    for one in chosen:
        start = time.perf_counter()
        wrong = complaints(one)
        failed += bool(wrong)
        name = stem_of(one) if isinstance(one, Lesson) else one.name
        print(f"{name:<32} {'NOT GOOD' if wrong else 'passed':<9} {time.perf_counter() - start:5.1f} s", flush=True)
        for line in wrong:
            print(f"    {line}")
    print(f"{len(chosen) - failed} of {len(chosen)} pass, {time.perf_counter() - began:.0f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
