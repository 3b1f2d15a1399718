"""Programs run in children with limits; whatever they do, an answer comes back."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from stagelight.errors import LabError
from stagelight.lab.asking import Examiner
from stagelight.lab.examiner import PACKAGES, _spawned, examined
from stagelight.model.examination import Asked, Examination, Piece, Request

COUNTED = """
import jax
import jax.numpy as jnp

@jax.jit
def double(x):
    return x * 2

for size in (3, 3, 4, 3, 5):
    double(jnp.ones(size))
print("said")
"""


def request_of(code: str, folder: Path, **more) -> Request:
    return Request(file=str(folder / "program.py"), folder=str(folder), pieces=(Piece(role="file", code=code),), **more)


@pytest.fixture
def run(examiner, tmp_path):
    return lambda code, **more: examiner.examine(request_of(code, tmp_path, **more))


def test_the_ledger_is_counted_call_by_call(run):
    found = run(COUNTED)
    (double,) = found.functions
    assert (double.name, double.calls, double.traces, double.compiles) == ("double", 5, 3, 3)
    assert double.traced_calls == (1, 3, 5)
    assert [causes[0].slug for causes in double.causes] == ["first-trace", "shape-changed", "shape-changed"]
    assert found.outputs == ("said\n",)
    assert found.surroundings.backend == "cpu"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("traces('double')", "3"),
        ("compiles('double')", "3"),
        ("calls('double')", "5"),
        ("calls('nothing')", "0"),
        ("traced_calls('double')", "[1, 3, 5]"),
        ("cause('double', 2)", '"shape-changed"'),
        ("cause('double', 9)", '""'),
        ("causes('double')", '["first-trace", "shape-changed", "shape-changed"]'),
        ("output", '"said\\n"'),
        ("double(jnp.ones(2))", "[2.0, 2.0]"),
        ("traces_of_file()", "3"),
        ("binding_time(double, jnp.ones(3), of='x * 2')", '"data"'),
    ],
)
def test_questions_about_it(run, expression, value):
    (answer,) = run(COUNTED, questions=(Asked(id="q", expression=expression),)).answers
    assert (answer.value, answer.error) == (value, "")


@pytest.mark.parametrize(
    ("expression", "error"),
    [("missing", "NameError: name 'missing' is not defined"), ("double", "TypeError: a PjitFunction is no answer"),
     ("binding_time(double, jnp.ones(3), of='y')", "UsageError: 'y' was not evaluated")],
)  # fmt: skip
def test_a_question_that_has_no_answer_says_why(run, expression, error):
    (answer,) = run(COUNTED, questions=(Asked(id="q", expression=expression),)).answers
    assert error in answer.error


def test_a_check_counts_only_what_happens_in_it(run):
    check = "import jax.numpy as jnp\nlearner.double(jnp.ones(3)); learner.double(jnp.ones(7))\n"
    check += "assert (traces('double'), calls('double')) == (1, 2), (traces('double'), calls('double'))"
    found = run(COUNTED, check=check, check_file="<cell check>")
    assert found.raised is None
    assert found.functions[0].traces == 3
    assert found.checked[0].traces == 1


def test_a_program_that_never_ends_is_stopped(run):
    began = time.monotonic()
    found = run("print('begun', flush=True)\nwhile True: pass", time_limit_s=1.0)
    assert (found.ending, found.output) == ("time-limit", "begun\n")
    assert time.monotonic() - began < 30


def test_a_program_that_prints_without_end_is_stopped(run):
    found = run("while True: print('x' * 1000)", time_limit_s=30.0, output_limit_bytes=100_000)
    assert found.ending == "output-limit"
    assert 0 < len(found.output) <= 100_000


def test_children_of_a_program_are_stopped_with_it(run, tmp_path):
    code = (
        "import subprocess, sys, pathlib\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "pathlib.Path('child').write_text(str(child.pid))\n"
        "while True: pass"
    )
    assert run(code, time_limit_s=3.0).ending == "time-limit"
    process = int((tmp_path / "child").read_text())
    for _ in range(100):
        if not _is_running(process):
            return
        time.sleep(0.05)
    raise AssertionError(f"process {process} still runs")


def _ask(examiner: Examiner, request: Request) -> None:
    with contextlib.suppress(LabError):  # it is closed meanwhile
        examiner.examine(request)


def test_closing_the_examiner_stops_a_program_that_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("stagelight.lab.asking._PATIENCE_S", 1.0)
    examiner = Examiner()
    code = "import os, pathlib\npathlib.Path('self').write_text(str(os.getpid()))\nwhile True: pass"
    asking = threading.Thread(target=lambda: _ask(examiner, request_of(code, tmp_path)))
    asking.start()
    place = tmp_path / "self"
    while not (place.exists() and place.read_text()):
        time.sleep(0.02)
    process = int(place.read_text())
    assert _is_running(process)
    examiner.close()
    asking.join()
    assert not _is_running(process)


def _is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [("import os; os._exit(3)", 3), ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9)],
)
def test_a_program_that_ends_its_process(run, code, exit_code):
    found = run(code)
    assert (found.ending, found.exit_code) == ("died", exit_code)


def test_sys_exit_with_success_is_an_end_like_any_other(run):
    assert run("import sys; sys.exit()").raised is None
    assert run("import sys; sys.exit(2)").raised.error == "SystemExit"


def test_the_place_of_an_error_is_told(run):
    code = "import jax\n\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n\nf(1.0)\n"
    raised = run(code).raised
    assert (raised.error, raised.line, raised.slug) == ("TracerBoolConversionError", 5, "traced-condition")
    assert (raised.expression, raised.arguments) == ("x > 0", ("x",))


def test_replacing_the_checker_is_seen(run):
    found = run("import stagelight.lab.examining as e\ne._checked = lambda *a: None", check="assert False, 'no'")
    assert found.changed_checker == "stagelight.lab.examining._checked"
    method = run("from stagelight.lab.ledger_view import LedgerView\nLedgerView.functions = lambda self: ()")
    assert method.changed_checker == "stagelight.lab.ledger_view.LedgerView.functions"


def test_using_the_package_is_no_change(run):
    code = "import stagelight, jax\nstagelight.explain(lambda x: x)(1.0)\n"
    code += "stagelight.predict(jax.jit(lambda x: x), [(1.0,)])"
    assert run(code).changed_checker == ""


def test_a_folder_that_is_gone_is_no_obstacle(examiner, tmp_path):
    found = examiner.examine(request_of("x = 1", tmp_path / "gone"))
    assert found.defined == ("x",)


def test_one_program_leaves_nothing_for_the_next(run):
    run("import jax\njax.config.update('jax_enable_x64', True)\nimport builtins\nbuiltins.left = 1")
    found = run("import jax.numpy as jnp, builtins\nprint(jnp.ones(1).dtype, hasattr(builtins, 'left'))")
    assert found.outputs == ("float32 False\n",)


def test_where_the_system_cannot_fork_a_process_is_started_for_each(tmp_path):
    encoded = msgspec.msgpack.encode(request_of(COUNTED, tmp_path))
    found = examined(encoded, _spawned)
    assert isinstance(found, Examination)
    assert (found.ending, found.functions[0].traces) == ("answered", 3)


def test_an_examiner_without_jax_says_what_to_do(tmp_path):
    code = "import sys; sys.modules['jax'] = None; sys.path.append(sys.argv[1])\n"
    code += "from stagelight.lab import asking\nfrom stagelight.model.examination import Piece, Request\n"
    code += "asking._SERVE = 'import sys; sys.modules[\"jax\"] = None; ' + asking._SERVE\n"
    code += "asking.Examiner().examine(Request(file='f', folder='.', pieces=()))"
    ended = subprocess.run([sys.executable, "-c", code, PACKAGES], cwd=tmp_path, capture_output=True, text=True,
                           env=dict(os.environ))  # fmt: skip
    assert "LabError: the process that runs lessons ended" in ended.stderr
    assert "stagelight: JAX cannot be imported here" in ended.stderr
    assert ended.stderr.count("Traceback") == 1  # of this test's own program, which lets the error through
