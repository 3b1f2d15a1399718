"""The sizes that a program sent, and edges that fit them."""

import subprocess
import sys

import pytest
from gates.tree import ROOT

ENVIRONMENT = {"PYTHONPATH": str(ROOT / "src"), "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
PROGRAM = """
import jax, numpy as np

@jax.jit
def step(x, y):
    return (x * y[:, None]).sum()

for size in (5, 6, 30, 31, 32, 32):
    step(np.ones((size, 3), np.float32), np.ones(size, np.float32))
"""


def stagelight(*arguments):
    command = [sys.executable, "-m", "stagelight", *map(str, arguments)]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("buckets")
    (folder / "program.py").write_text(PROGRAM)
    ran = stagelight("run", "-q", "-o", folder / "run.jsonl", folder / "program.py")
    assert ran.returncode == 0, ran.stderr
    return folder / "run.jsonl"


def test_edges_are_proposed_for_sizes_that_varied(ledger):
    said = stagelight("buckets", ledger, "--align", "8", "--compile-cost", "1")
    assert said.returncode == 0, said.stderr
    assert "x axis 0, y axis 0: 5 sizes from 5 to 32 in 5 calls" in said.stdout
    assert "stagelight.edges(8, 32): 2 compiles instead of 5" in said.stdout
    assert "axis 1" not in said.stdout


def test_a_function_without_varying_sizes_is_said_to_have_none(ledger):
    said = stagelight("buckets", ledger, "--function", "other")
    assert said.stdout == "no function of your own had arguments whose sizes varied\n"


BUCKETED = """
import numpy as np, stagelight

@stagelight.bucketed(dims={"x": {0: "b", 1: "t"}})
def step(x):
    return (x * 2).sum()

for size in (0, 1, 5, 6, 30, 31, 1):
    step(np.ones((size, max(size, 1)), np.float32))
"""


def test_a_bucketed_function_is_said_to_be_bucketed_already(tmp_path):
    (tmp_path / "program.py").write_text(BUCKETED)
    ran = stagelight("run", "-q", "-o", tmp_path / "run.jsonl", tmp_path / "program.py")
    assert ran.returncode == 0, ran.stderr
    for options in ((), ("--function", "step")):
        said = stagelight("buckets", tmp_path / "run.jsonl", *options).stdout
        assert "  bucketed already: 4 calls in 2 buckets\n" in said
        assert "    3 calls without padding: b=0, t=1; b=1, t=1\n" in said
        assert "stagelight.edges" not in said
    why = stagelight("why", tmp_path / "run.jsonl").stdout
    assert "It is bucketed already" in why
    assert "wrap the function with" not in why


def test_a_ledger_that_is_missing_is_a_clear_error(tmp_path):
    said = stagelight("buckets", tmp_path / "none.jsonl")
    assert said.returncode == 2
    assert "Traceback" not in said.stderr
