"""Lessons as notebooks and Python files: the same order, the same checks, the same journal."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gates.tree import ROOT
from lab.lessons_for_tests import kept_executables

from stagelight.lab.course import course, stem_of
from stagelight.lab.notebook_file import notebook_text, python_text

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")


@pytest.fixture(scope="module")
def run_in_a_shell(tmp_path_factory) -> dict[str, list[str]]:
    """Lesson → what is wrong with its notebook."""
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu",
                       IPYTHONDIR=str(tmp_path_factory.mktemp("ipython")),
                       **kept_executables(tmp_path_factory.getbasetemp()))  # fmt: skip
    program = Path(__file__).with_name("notebook_shell.py")
    folder = tmp_path_factory.mktemp("notebooks")
    ran = subprocess.run([sys.executable, str(program), str(folder)], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.name)
def test_every_notebook_passes(lesson, run_in_a_shell):
    nbformat.validate(nbformat.reads(notebook_text(lesson), 4))
    assert run_in_a_shell[lesson.name] == []


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    monkeypatch.setenv("STAGELIGHT_LAB_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))

    def run(text: str):
        notebook = nbformat.reads(text, 4)
        nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
        return notebook

    return run


def said_by(notebook) -> str:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return "\n".join(str(one.get("text") or one.get("data", {}).get("text/plain", "")) for one in outputs)


def test_a_kernel_takes_predictions_before_it_runs(kernel, tmp_path):
    lesson = course()[0]
    text = json.loads(notebook_text(lesson, is_solved=True))
    unpredicted = [cell for cell in text["cells"] if not "".join(cell["source"]).startswith("%%predict")]
    said = said_by(kernel(json.dumps({**text, "cells": unpredicted})))
    assert "stagelight: predict first" in said
    assert "predict and run lesson 1 first" in said
    keys = {"lines": "2", "traces": "1", "second": "29", "shape-time": "metadata", "third-call": "0",
            "new-shape": "shape-changed"}  # fmt: skip
    said = said_by(kernel(notebook_text(lesson, is_solved=True, keys=keys)))
    assert "Your predictions: 3 of 4 right" in said
    assert "Checkpoint: 2 of 2 right" in said
    assert (tmp_path / "stagelight-lab" / "receipts" / f"{stem_of(lesson)}.json").exists()


def test_the_python_file_runs(tmp_path):
    file = tmp_path / "lesson.py"
    file.write_text(python_text(course()[0]))
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
    ran = subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "14.0 29.0" in ran.stdout
