"""The plugin in runs of its own: what it fails, what it says, and that it is inert unless asked for."""

import re
from importlib.metadata import entry_points

import pytest
from control.thirteen_causes import PROGRAMS
from gates.tree import ROOT, run_python

pytest_plugins = ["pytester"]

SUITE = """
import jax, jax.numpy as jnp, pytest
import stagelight

step = jax.jit(lambda x: x * 2)

@jax.jit
def train_step(x):
    return x + 1

@pytest.fixture(scope="module")
def state():
    return train_step(jnp.ones(3))

@pytest.mark.max_traces(1, function="train_step")
def test_first(state):
    train_step(jnp.ones(4))

@pytest.mark.max_traces(1, function="train_step")
def test_warmed_by_another(state):
    train_step(jnp.ones(4))

@pytest.mark.max_traces(1)
@pytest.mark.parametrize("sizes", [(5, 5), (6, 7)], ids=["same", "other"])
def test_sizes(sizes):
    for size in sizes:
        step(jnp.ones(size))

@pytest.mark.no_retrace
def test_swallows():
    inner = jax.jit(lambda x: x * 3)
    inner(jnp.ones(8))
    try:
        inner(jnp.ones(9))
    except Exception:
        pass

def test_fixtures(traces, ledger):
    step(jnp.ones(10))
    assert traces("<lambda>") == traces.total == 1
    assert traces.causes("<lambda>") == ("shape-changed",)
    again = [m for m in stagelight.why(ledger).misses if m.function.own and m.ledger == "trace"]
    assert len(again) == 1

@pytest.mark.max_traces(0)
def test_fails_on_its_own():
    assert False, "its own reason"

def made_anew():
    return jax.jit(lambda x: x - 1)(jnp.ones(3))

@pytest.mark.no_retrace
def test_shares_one():
    made_anew()

@pytest.mark.no_retrace
def test_shares_two():
    made_anew()

attempts = []

@pytest.mark.flaky(reruns=1)
@pytest.mark.max_traces(1)
def test_rerun():
    step(jnp.ones(11 + len(attempts)))
    attempts.append(1)
    assert len(attempts) == 2
"""


# An installed Stagelight loads its plugin by itself, and pytest refuses to load it twice.
IS_INSTALLED = any(entry.name == "stagelight" for entry in entry_points(group="pytest11"))
LOAD_PLUGIN = () if IS_INSTALLED else ("-p", "stagelight.pytest_plugin.plugin")


@pytest.fixture
def run(pytester, monkeypatch):
    """Run a suite with the plugin loaded, in another process on two devices."""
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}:{ROOT / 'tests'}")
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
    pytester.makeini("[pytest]\naddopts = --strict-markers\n")

    def run(source: str, *options: str):
        pytester.makepyfile(source)
        return pytester.runpytest_subprocess(*LOAD_PLUGIN, "-p", "no:cacheprovider", *options)

    return run


def test_importing_the_plugin_loads_no_jax():
    code = (
        "import sys, stagelight.pytest_plugin.plugin as p; print([n for n in ('jax', 'msgspec') if n in sys.modules])"
    )
    outcome = run_python(code)
    assert outcome.stdout.strip() == "[]", outcome.stderr


def test_a_marker_without_the_plugin_on_warns(run):
    outcome = run("import pytest\n@pytest.mark.max_traces(0)\ndef test_it():\n    pass\n")
    outcome.assert_outcomes(passed=1, warnings=1)
    outcome.stdout.fnmatch_lines(["*@pytest.mark.max_traces checks nothing without --stagelight*"])


def test_each_of_the_thirteen_causes_fails_its_test(run):
    outcome = run(
        """
import pytest
from control.thirteen_causes import PROGRAMS

@pytest.mark.no_retrace
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    warm, missed = PROGRAMS[name].make()
    warm()
    missed()
""",
        "--stagelight",
        "-q",
    )
    outcome.assert_outcomes(failed=len(PROGRAMS))
    causes = re.findall(r"^E +cause +([\w-]+)", outcome.stdout.str(), re.MULTILINE)
    assert causes == [program.slug for program in PROGRAMS.values()]


def counts_of(outcome) -> tuple[str, ...]:
    return re.search(r"(\d+) traces and (\d+) compiles, ", outcome.stdout.str()).groups()


EXPECTED = {"passed": 7, "failed": 3, "rerun": 1}


def test_a_suite(run):
    outcome = run(SUITE, "--stagelight", "--stagelight-report", "page.html", "-rf")
    found = outcome.parseoutcomes()
    assert {name: found.get(name) for name in EXPECTED} == EXPECTED
    text = outcome.stdout.str()
    failed = re.findall(r"^FAILED .*::(\S+) - ", text, re.MULTILINE)
    assert failed == ["test_sizes[other]", "test_swallows", "test_fails_on_its_own"]
    assert "which @pytest.mark.max_traces(1) forbids in this test" in text
    assert "AssertionError: its own reason" in text
    assert "test_warmed_by_another: train_step was not traced here, test_a_suite.py::test_first (setup) had" in text
    assert re.search(r"Most expensive tests:\n +[\d.]+ .?s  test_a_suite.py::test_first \(setup\)|::test_first", text)
    assert re.search(
        r"<lambda>\(f32\[3\]\)  in 2 tests: test_a_suite.py::test_shares_one, test_a_suite.py::test_sh", text
    )
    assert "Wrote page.html." in text

    shared = run(SUITE, "--stagelight", "-n", "2", "--dist", "loadfile", "--stagelight-report", "page.html")
    assert {name: shared.parseoutcomes().get(name) for name in EXPECTED} == EXPECTED
    assert counts_of(shared) == counts_of(outcome)
    assert "test_warmed_by_another: train_step was not traced here" in shared.stdout.str()
    assert "Wrote page.html." in shared.stdout.str()


def test_a_function_of_no_such_name_is_told(run):
    outcome = run(
        """
import jax, jax.numpy as jnp, pytest

@jax.jit
def train_step(x):
    return x * 2

@pytest.mark.max_traces(1, function="trian_step")
def test_mistyped():
    train_step(jnp.ones(3)), train_step(jnp.ones(4))
""",
        "--stagelight",
    )
    note = "test_mistyped: max_traces checked nothing, as no trian_step was traced; did you mean train_step?"
    assert note in outcome.stdout.str()


def test_chosen_causes_fail_every_test(run):
    outcome = run(
        """
import jax, jax.numpy as jnp
step = jax.jit(lambda x: x * 2)

def test_shape():
    step(jnp.ones(3)), step(jnp.ones(4))

def test_dtype():
    step(jnp.ones(4)), step(jnp.ones(4, int))
""",
        "--stagelight-fail-on",
        "dtype-changed,weak-type-changed",
    )
    outcome.assert_outcomes(passed=1, failed=1)
    outcome.stdout.fnmatch_lines(["*which --stagelight-fail-on forbids*"])


def test_a_cause_that_does_not_exist_is_wrong_usage(run):
    outcome = run("def test_it():\n    pass\n", "--stagelight-fail-on", "shape-chnged")
    assert outcome.ret == pytest.ExitCode.USAGE_ERROR
    outcome.stderr.fnmatch_lines(["*there is no cause 'shape-chnged'*"])


def test_a_marker_with_wrong_arguments_is_said_in_one_line_at_its_test(run):
    found = run("import pytest\n\n@pytest.mark.max_traces()\ndef test_a(): pass\n", "--stagelight")
    found.assert_outcomes(failed=1)
    text = found.stdout.str()
    assert "test_a: max_traces=None: give a count, 0 or more" in text
    assert "Traceback" not in text
    assert "During handling" not in text


def test_a_run_that_uses_no_jax_stays_without_it(run):
    outcome = run("import sys\ndef test_it():\n    assert 'jax' not in sys.modules\n", "--stagelight")
    outcome.assert_outcomes(passed=1)
    outcome.stdout.fnmatch_lines(["Nothing was traced or compiled."])
