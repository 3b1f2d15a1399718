"""A lock from a whole test run, as one chain: run, lock, change, verify, review."""

import pytest
from gates.tree import ROOT

pytest_plugins = ["pytester"]

SUITE = """
import jax, jax.numpy as jnp, pytest

@jax.jit
def train_step(x):
    return x + 1

@jax.jit
def score(x):
    return x * 2

@pytest.mark.parametrize("size", TRAINED)
def test_training(size):
    train_step(jnp.ones(size))

@pytest.mark.parametrize("size", SCORED)
def test_scoring(size):
    score(jnp.ones(size))
"""


@pytest.fixture
def project(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    return pytester


def write_suite(project, trained="[3]", scored="[3]"):
    project.makepyfile(test_suite=SUITE.replace("TRAINED", trained).replace("SCORED", scored))


def stagelight(project, *arguments, answers=""):
    command = [project._getpytestargs()[0], "-m", "stagelight", *arguments]
    return project.run(*command, stdin=answers.encode())


def run_suite(project):
    loaded = project.run(project._getpytestargs()[0], "-c", "import importlib.metadata as m, sys; "
                         "sys.exit(any(e.name == 'stagelight' for e in m.entry_points(group='pytest11')))")  # fmt: skip
    plugin = () if loaded.ret else ("-p", "stagelight.pytest_plugin.plugin")
    return project.runpytest_subprocess(*plugin, "--stagelight-ledger", "ledgers")


def test_run_lock_change_verify_review(project):
    write_suite(project)
    run_suite(project).assert_outcomes(passed=2)
    assert stagelight(project, "lock", "ledgers").ret == 0
    text = (project.path / "stagelight.lock").read_text()
    assert 'function."test_suite.py::train_step"' in text
    assert stagelight(project, "verify", "ledgers", "--locked").ret == 0

    write_suite(project, trained="[3, 4]", scored="[3, 5]")
    run_suite(project).assert_outcomes(passed=4)
    changed = stagelight(project, "verify", "ledgers")
    assert changed.ret == 1
    changed.stdout.fnmatch_lines(["*test_suite.py::score has*", "*x: locked f32[[]3], now f32[[]5]"])

    # Changes are told errors first, functions by name: those of score are taken, those of train_step are not.
    told = [line for line in changed.stdout.lines if line.startswith(("error", "warning", "note"))]
    answers = "".join("y\n" if "score" in line else "n\n" for line in told)
    reviewed = stagelight(project, "lock", "ledgers", "--review", answers=answers)
    assert reviewed.ret == 0, reviewed.stderr.str()
    left = stagelight(project, "verify", "ledgers")
    assert left.ret == 1
    assert "score" not in left.stdout.str()
    left.stdout.fnmatch_lines(["*train_step has*"])


def test_a_test_run_is_a_program_that_a_lock_can_name(project):
    write_suite(project)
    assert stagelight(project, "lock", "--", "-m pytest -q test_suite.py").ret == 0
    assert 'programs = ["-m pytest -q test_suite.py"]' in (project.path / "stagelight.lock").read_text()
    write_suite(project, trained="[3, 4]")
    changed = stagelight(project, "verify")
    assert changed.ret == 1
    assert "shape-changed" in changed.stdout.str()
    (project.path / "test_suite.py").write_text("def test_it():\n    assert False\n")
    failed = stagelight(project, "verify")
    assert failed.ret == 2
    failed.stderr.fnmatch_lines(["*exited with 1*"])
