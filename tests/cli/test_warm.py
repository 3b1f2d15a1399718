"""``stagelight warm`` and ``coverage``: from a ledger and from a lock, stopped and begun again, and what is refused."""

import json
import os
import subprocess
import sys

import pytest
from gates.tree import ROOT

SERVICE = """
import os
from typing import NamedTuple
import jax, jax.numpy as jnp

class Query(NamedTuple):
    tokens: jax.Array
    weights: jax.Array

@jax.jit
def embed(query):
    return jnp.tanh(query.tokens * query.weights)

@jax.jit
def score(x, y):
    if os.environ.get("STOP") and x.shape[0] == 5:
        raise KeyboardInterrupt
    return jnp.cos(x) @ y

def functions():
    return {"embed": embed, "score": score}

def raises():
    raise OSError("no weights here")
"""

SERVE = """
import sys
import jax.numpy as jnp, service
for n in map(int, sys.argv[1:]):
    service.embed(service.Query(jnp.ones(n), jnp.ones(n)))
    service.score(jnp.ones(n), jnp.ones(n))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A service, with the ledger and the lock of a run of it."""
    path = tmp_path_factory.mktemp("service")
    (path / "service.py").write_text(SERVICE)
    (path / "serve.py").write_text(SERVE)
    served = stagelight(path, "run", "-q", "-o", "served.jsonl", "serve.py", "4", "5")
    assert served.returncode == 0, served.stderr
    assert stagelight(path, "lock", "served.jsonl").returncode == 0
    return path


def stagelight(folder, *arguments, **variables):
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu", **variables)
    command = [sys.executable, "-m", "stagelight", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def warm(folder, calls, cache, *more, **variables):
    arguments = ("warm", str(calls), "--app", "service:functions", "--format", "json", *more)
    return stagelight(folder, *arguments, JAX_COMPILATION_CACHE_DIR=str(cache), **variables)


def outcomes(ended):
    assert ended.stdout, ended.stderr
    return [call["outcome"] for call in json.loads(ended.stdout)["calls"]]


def entries(cache):
    return sum(not name.endswith("-atime") for name in os.listdir(cache))


@pytest.mark.parametrize("calls", ["served.jsonl", "stagelight.lock"])
def test_a_ledger_and_a_lock_fill_the_cache_alike(folder, tmp_path, calls):
    warmed = warm(folder, calls, tmp_path / "cache")
    assert (warmed.returncode, outcomes(warmed)) == (0, ["compiled"] * 4), warmed.stderr
    assert entries(tmp_path / "cache") == 4


def test_an_interrupted_warm_up_resumes_from_the_cache(folder, tmp_path):
    cache = tmp_path / "cache"
    stopped = warm(folder, "served.jsonl", cache, STOP="1")
    assert stopped.returncode != 0
    assert "Traceback" not in stopped.stderr
    resumed = warm(folder, "served.jsonl", cache)
    assert (resumed.returncode, outcomes(resumed)) == (0, ["compiled"] * 4)
    assert entries(cache) == 4
    assert not [name for name in os.listdir(cache) if "tmp" in name or "part" in name]


def test_text_says_what_was_done_and_a_refused_call_fails(folder, tmp_path):
    text = (folder / "stagelight.lock").read_text().replace("[imports]", "[ignored]")
    (tmp_path / "other.lock").write_text(text)
    arguments = ("warm", str(tmp_path / "other.lock"), "--app", "service:functions")
    told = stagelight(folder, *arguments, JAX_COMPILATION_CACHE_DIR=str(tmp_path / "cache"))
    assert told.returncode == 1
    assert "2 compiled" in told.stdout
    assert "query is a Query, a class that was recorded by no name to import it by" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "cache", "complaint"),
    [
        (("served.jsonl", "--app", "service:functions"), "", "JAX_COMPILATION_CACHE_DIR is not set"),
        (("served.jsonl", "--app", "service"), "cache", "name a factory as module:factory"),
        (("served.jsonl", "--app", "service:raises"), "cache", "the factory raised OSError: no weights here"),
        (("absent.jsonl", "--app", "service:functions"), "cache", "absent.jsonl does not exist"),
        (("absent.lock", "--app", "service:functions"), "cache", "there is no absent.lock"),
        (("service.py", "--app", "service:functions"), "cache", "is not a Stagelight ledger"),
    ],
)
def test_wrong_usage_is_told_and_nothing_is_made(folder, tmp_path, arguments, cache, complaint):
    ended = stagelight(folder, "warm", *arguments, JAX_COMPILATION_CACHE_DIR=str(tmp_path / cache) if cache else "")
    assert ended.returncode == 2
    assert complaint in ended.stderr
    assert "Traceback" not in ended.stderr
    assert os.listdir(tmp_path) == []


def test_coverage_names_the_part_that_differs_and_what_nobody_used(folder):
    program = "import stagelight, service\nstagelight.warm(service.functions(), 'served.jsonl')\n"
    (folder / "warm_up.py").write_text(program)
    assert stagelight(folder, "run", "-q", "-f", "-o", "warm.jsonl", "warm_up.py").returncode == 0
    whole = stagelight(folder, "coverage", "warm.jsonl", "served.jsonl")
    assert (whole.returncode, whole.stdout) == (0, "4 of 4 distinct calls covered by the warm-up.\n")

    assert stagelight(folder, "run", "-q", "-f", "-o", "other.jsonl", "serve.py", "4", "6").returncode == 0
    ended = stagelight(folder, "coverage", "warm.jsonl", "other.jsonl", "--format", "json")
    assert ended.returncode == 1
    found = json.loads(ended.stdout)
    assert found["covered"] == 2
    missed = {call["call"]["function"]: [part[0] for part in call["parts"]] for call in found["missed"]}
    assert missed == {"service.py::embed": ["query.tokens", "query.weights"], "service.py::score": ["x", "y"]}
    assert len(found["unused"]) == 2
    told = stagelight(folder, "coverage", "warm.jsonl", "other.jsonl").stdout
    assert "x: warmed f32[4], served f32[6]" in told or "x: warmed f32[5], served f32[6]" in told
    assert "2 warmed calls that nobody made" in told


def test_coverage_of_what_is_no_ledger_is_wrong_usage(folder):
    ended = stagelight(folder, "coverage", "service.py", "served.jsonl")
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
