"""Lessons and the project as notebooks and Python files, in a real kernel: same order, same checks, same journal.

One kernel serves every notebook, emptied in between, so that JAX loads once; each in a kernel of its own is
``bench/lab_notebooks.py``.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gates.tree import ROOT
from lab.lessons_for_tests import kept_executables, shipped_keys

from stagelight.lab.course import course, stem_of
from stagelight.lab.notebook_file import notebook_text, python_text
from stagelight.lab.project_notebook import project_notebook_text, project_python_text
from stagelight.lab.project_reading import projects
from stagelight.lab.study import Study

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

(PROJECT,) = projects()


@pytest.fixture(scope="module")
def kernel(tmp_path_factory) -> Iterator[nbclient.NotebookClient]:
    """A client whose kernel runs until the tests of this file are over."""
    folder = tmp_path_factory.mktemp("kernel")
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu", IPYTHONDIR=str(folder),
                       **kept_executables(tmp_path_factory.getbasetemp()))  # fmt: skip
    client = nbclient.NotebookClient(nbformat.v4.new_notebook())
    with client.setup_kernel(env=environment, cwd=str(folder)):
        yield client


@pytest.fixture
def run(kernel, tmp_path, monkeypatch) -> Callable[[str], str]:
    """Run a notebook in a folder of the test, and return what its cells said."""
    home = tmp_path / "home"
    monkeypatch.setenv("STAGELIGHT_LAB_HOME", str(home))
    begin = (
        "get_ipython().reset(new_session=False)\nimport os\n"
        f"os.chdir({str(tmp_path)!r})\nos.environ['STAGELIGHT_LAB_HOME'] = {str(home)!r}"
    )

    def said_by(text: str) -> str:
        notebook = nbformat.reads(text, 4)
        nbformat.validate(notebook)
        notebook.cells.insert(0, nbformat.v4.new_code_cell(begin))
        client = nbclient.NotebookClient(notebook, km=kernel.km, timeout=60)
        client.kc = kernel.kc
        client.execute()
        outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
        return "\n".join(str(one.get("text") or one.get("data", {}).get("text/plain", "")) for one in outputs)

    return said_by


def without_cells(text: str, *beginnings: str) -> str:
    """A notebook without the cells that begin so."""
    notebook = json.loads(text)
    cells = [cell for cell in notebook["cells"] if not "".join(cell["source"]).startswith(beginnings)]
    return json.dumps({**notebook, "cells": cells})


@pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.name)
def test_every_notebook_passes(lesson, run, tmp_path):
    solved = notebook_text(lesson, is_solved=True, keys=shipped_keys(lesson))
    said = run(without_cells(solved, "%receipt"))  # it runs everything once more
    assert "stagelight:" not in said
    assert f"Your predictions: {len(lesson.predictions)} of {len(lesson.predictions)} right" in said
    assert f"Checkpoint: {len(lesson.checkpoints)} of {len(lesson.checkpoints)} right" in said
    assert Study(tmp_path / "stagelight-lab").progress(lesson).part == "evidence"


def test_a_kernel_takes_predictions_before_it_runs(run, tmp_path):
    lesson = course()[0]
    said = run(without_cells(notebook_text(lesson, is_solved=True), "%%predict"))
    assert "stagelight: predict first" in said
    assert "predict and run lesson 1 first" in said
    said = run(notebook_text(lesson, is_solved=True, keys={**shipped_keys(lesson), "lines": "2"}))
    assert "Your predictions: 3 of 4 right" in said
    assert "Checkpoint: 2 of 2 right" in said
    assert (tmp_path / "stagelight-lab" / "receipts" / f"{stem_of(lesson)}.json").exists()


def test_the_project_passes_from_the_solution(run, tmp_path):
    said = run(project_notebook_text(PROJECT, is_solved=True))
    assert "stagelight:" not in said
    # Each stage once in its own cell, and once in the cell that checks all of them.
    assert [said.count(f"Stage {stage.number}: {stage.title}  passed") for stage in PROJECT.stages] == [2, 2, 2, 2]
    folder = tmp_path / "transforms-audit-evidence"
    assert (folder / "implementation.py").read_text() == PROJECT.solution
    verdicts = [json.loads((folder / f"stage-{stage.number}.json").read_text())["verdict"] for stage in PROJECT.stages]
    assert verdicts == ["passed"] * 4
    assert "tanh" in (folder / "stage-3-vmap.txt").read_text()


def test_the_project_fails_from_the_starter_for_the_stated_reasons(run):
    said = run(without_cells(project_notebook_text(PROJECT), "%stage all"))
    verdicts = said.split("Stage ")[1:]
    assert len(verdicts) == len(PROJECT.stages)
    for stage, verdict in zip(PROJECT.stages, verdicts, strict=True):
        assert verdict.startswith(f"{stage.number}: {stage.title}  {stage.fails}")
        assert stage.says in verdict


def notebook_of_cells(*cells: str) -> str:
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells]))


def test_what_a_project_is_asked_for_out_of_turn(run):
    load = f"%load_ext stagelight.lab.magics\n%project {PROJECT.name}"
    said = run(notebook_of_cells(
        load, "%stage 1", "%hint 1", "%hint 1", "%solution 1", "%solution 1 --give-up", "%stage 9",
        "%%stage all\nx = 1", "%hint", "%%repair triple\nx = 1", "%lesson 1\n%stage 1", "%project none",
    ))  # fmt: skip
    assert "Stage 1: Independent calculations  check-failed" in said  # what no cell replaced is the starter's
    assert "Hint 1 of 3" in said
    assert "Hint 2 of 3" in said
    assert "stage 1 has not passed. To see it anyway: %solution 1 --give-up" in said
    assert "# Stage 1: the same numbers" in said
    assert "transforms-audit has no stage 9; it has 4, or all" in said
    assert "a cell is the part of one stage" in said
    assert "has no stage ; " in said
    assert "a project is open, and repair belongs to a lesson" in said
    assert "a lesson is open, and stage belongs to a project" in said
    assert "there is no project 'none'" in said


def test_a_stage_that_never_ends_is_stopped_and_does_not_hang_the_kernel(run):
    said = run(notebook_of_cells(
        "import stagelight.lab.project_stages as stages\nstages.STAGE_LIMIT_S = 3.0\n%load_ext stagelight.lab.magics\n"
        f"%project {PROJECT.name}", "%%stage 1\nwhile True: pass", "stages.STAGE_LIMIT_S = 60.0\nprint('alive')",
    ))  # fmt: skip
    assert "time-limit" in said
    assert "alive" in said


def test_a_mistake_is_shown_in_its_own_cell(run):
    load = f"%load_ext stagelight.lab.magics\n%project {PROJECT.name}"
    said = run(notebook_of_cells(load, "%%stage 2\nx = 1\ny = (", "%stage 3"))
    assert said.count("(line 3 of the cell %%stage 2) is not Python") == 2
    said = run(notebook_of_cells(load, "%%stage 1\nx = 1\nx.missing", "%stage 4"))
    assert said.count("(line 3 of the cell %%stage 1) raised AttributeError") == 2


def test_names_of_the_program_can_be_tried_in_other_cells(run):
    text = json.loads(without_cells(project_notebook_text(PROJECT), "%%stage 2", "%%stage 3", "%%stage 4", "%stage"))
    tried = nbformat.v4.new_code_cell("print('tried', changed.__name__, ROWS.shape)")
    said = run(json.dumps({**text, "cells": [*text["cells"], tried]}))
    assert "tried changed (4, 3)" in said


def ran(file: Path, text: str) -> str:
    """What a Python file prints."""
    file.write_text(text)
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
    done = subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_file_runs(tmp_path):
    assert "14.0 29.0" in ran(tmp_path / "lesson.py", python_text(course()[0]))


def test_the_projects_python_file_is_its_starter(tmp_path):
    text = project_python_text(PROJECT)
    assert "observed {'values': (1, 'first-trace')" in ran(tmp_path / "audit.py", text)
    code = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert code == [line for line in PROJECT.starter.splitlines() if line and not line.startswith("#")]
