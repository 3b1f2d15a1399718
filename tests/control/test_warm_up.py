"""Warm-up: what it compiles, that nothing runs, and that later calls find everything."""

import concurrent.futures
import contextlib
import functools
import multiprocessing
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gates.tree import ROOT

import stagelight
from stagelight.errors import UsageError, WarmUpError

SERVING = {"first": "forbid", "threads": "all", "dispatches": None}


@pytest.fixture
def step():
    ran = []

    @functools.partial(jax.jit, static_argnames="n")
    def step(x, params, n=2):
        ran.append(None)
        return x * n + params["a"][0]

    step.ran = ran
    return step


def calls_of(step):
    """Calls that differ in weak type, structure, static value, how they are passed, and where data lives."""
    committed = jax.device_put(jnp.ones(3), jax.devices()[0])
    return [
        lambda: step(jnp.ones(3), {"a": [1.0, None]}, n=3),
        lambda: step(jnp.ones((2, 3)), {"a": [1.0, None]}, 4),
        lambda: step(committed, params={"a": [jnp.float32(2), (jnp.ones(2, bool),)]}),
        lambda: step(np.ones(5, np.float32), {"a": [jnp.bfloat16(2)]}),
    ]


def test_shapes_are_enough_and_nothing_runs(step):
    shape = jax.ShapeDtypeStruct
    shapes = [stagelight.call(shape((3,), "float32"), {"a": [shape((), "float32")]}, n=3)]
    done = stagelight.warm(step, shapes)
    assert [call.outcome for call in done.calls] == ["compiled"]
    x, a = jnp.ones(3), jnp.float32(1)
    with stagelight.no_retrace(**SERVING):
        step(x, {"a": [a]}, n=3)


def test_a_ledger_is_warmed_whole(step, tmp_path):
    calls = calls_of(step)
    with stagelight.watch(tmp_path / "served.jsonl"):
        for call in calls:
            call()
    jax.clear_caches()
    done = stagelight.warm({"step": step}, tmp_path / "served.jsonl")
    assert [call.outcome for call in done.calls] == ["compiled"] * 4
    with stagelight.no_retrace(**SERVING):
        for call in calls:
            call()


def test_calls_to_the_same_executable_are_compiled_once(step):
    committed = jax.device_put(jnp.ones(3), jax.devices()[0])
    params = {"a": [jnp.float32(1)]}
    done = stagelight.warm(step, [(jnp.ones(3), params), (np.ones(3, np.float32), params), (committed, params)])
    assert [call.outcome for call in done.calls] == ["compiled", "same executable", "compiled"]


def test_what_cannot_be_traced_is_told_and_the_rest_is_warmed(step):
    good = (jnp.ones(3), {"a": [jnp.float32(1)]})
    done = stagelight.warm(step, [(jnp.ones(3), {"b": 1}), good])
    assert [call.outcome for call in done.calls] == ["failed", "compiled"]
    assert "KeyError" in done.calls[0].reason


def test_progress_is_told(step):
    told = []
    stagelight.warm(step, [(jnp.ones(n), {"a": [1.0]}) for n in (3, 4)], progress=lambda *done: told.append(done))
    assert told == [(1, 2), (2, 2)]


class Interrupting(concurrent.futures.ThreadPoolExecutor):
    """Is stopped, as by Ctrl-C, when the third call is handed to it."""

    handed = 0

    def submit(self, *arguments):
        self.handed += 1
        if self.handed == 3:
            raise KeyboardInterrupt
        return super().submit(*arguments)


def test_an_interrupted_warm_up_resumes(step):
    calls = [(jnp.ones(n), {"a": [1.0]}) for n in (3, 4, 5, 6)]
    with Interrupting(1) as pool, pytest.raises(KeyboardInterrupt):
        stagelight.warm(step, calls, executor=pool)
    traced = len(step.ran)
    done = stagelight.warm(step, calls)
    assert [call.outcome for call in done.calls] == ["compiled"] * 4
    assert len(step.ran) == 4
    assert traced == 3


SERVICE = """
import jax, jax.numpy as jnp
score = jax.jit(lambda x, y: jnp.tanh(x @ y))
def functions():
    return {"score": score}
def raises():
    raise OSError("no weights here")
def nothing():
    return 3
"""


@pytest.fixture
def service(tmp_path, monkeypatch):
    (tmp_path / "warm_service.py").write_text(SERVICE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("warm_service", None)


def command(*arguments, **variables):
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu", **variables)
    full = [sys.executable, "-m", "stagelight", *arguments]
    return subprocess.run(full, env=environment, capture_output=True, text=True)


def test_processes_fill_the_cache_that_a_server_reads(service):
    (service / "serve.py").write_text(
        "import jax.numpy as jnp, warm_service\n"
        "for n in (2, 3):\n    warm_service.score(jnp.ones((n, n)), jnp.ones((n, n)))\n"
    )
    assert command("run", "-q", "-o", "served.jsonl", "serve.py").returncode == 0
    cache = {"JAX_COMPILATION_CACHE_DIR": str(service / "cache")}
    done = command("warm", "served.jsonl", "--app", "warm_service:functions", "--processes", "1", **cache)
    assert (done.returncode, done.stdout.partition(":")[2].strip()) == (0, "2 compiled."), done.stderr
    assert command("run", "-q", "-o", "warmed.jsonl", "serve.py", **cache).returncode == 0
    misses = [m for m in stagelight.why(service / "warmed.jsonl").misses if m.function.own]
    assert [m.persistent.outcome for m in misses if m.ledger == "compile"] == ["hit", "hit"]
    assert sum(m.ledger == "trace" for m in misses) == 2


@pytest.mark.parametrize(
    ("application", "complaint"),
    [
        ("warm_service", "name a factory as module:factory"),
        ("warm_service:absent", "has no absent"),
        ("no_such_module:functions", "No module named"),
        ("warm_service:raises", "the factory raised OSError: no weights here. Nothing was warmed up"),
        ("warm_service:nothing", r"has to return \{name: jitted function\}"),
    ],
)
def test_wrong_applications_say_what_is_wrong(service, application, complaint):
    with pytest.raises(WarmUpError, match=complaint):
        stagelight.warm(application, [])


def test_a_ledger_of_another_program_is_refused(step, tmp_path):
    with stagelight.watch(tmp_path / "other.jsonl"):
        jax.jit(lambda x: x)(jnp.ones(3))
    with pytest.raises(WarmUpError, match="no call of step is recorded; recorded are: <lambda>"):
        stagelight.warm({"step": step}, tmp_path / "other.jsonl")


@pytest.mark.parametrize("calls", [3, "nowhere", [3]])
def test_wrong_calls_raise_at_the_door(step, calls):
    with pytest.raises(stagelight.StagelightError):
        stagelight.warm(step, calls)


def test_only_jitted_functions_are_warmed():
    with pytest.raises(UsageError, match=r"warm takes what jax\.jit returns"):
        stagelight.warm(len, [])


def test_processes_are_told_from_threads():
    from stagelight.control.warm_up import is_of_processes

    with contextlib.ExitStack() as pools:
        threads = pools.enter_context(concurrent.futures.ThreadPoolExecutor(1))
        context = multiprocessing.get_context("spawn")
        processes = pools.enter_context(concurrent.futures.ProcessPoolExecutor(1, mp_context=context))
        assert not is_of_processes(threads)
        assert is_of_processes(processes)
