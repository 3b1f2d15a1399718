"""The example trains to the same result in both versions, and Stagelight sees in the first what the second mended."""

import json
import os
import subprocess
import sys
from collections import Counter
from functools import cache

import pytest
from gates.tree import ROOT

pytest.importorskip("flax")
pytest.importorskip("sklearn")


@cache
def watched(name: str, folder: str) -> tuple[str, dict]:
    """What a program of the example prints under Stagelight, and what Stagelight says of it."""
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
    stagelight = [sys.executable, "-m", "stagelight"]
    program = str(ROOT / "examples" / "digits" / name)
    ledger = os.path.join(folder, f"{name}.jsonl")
    ran = subprocess.run(
        [*stagelight, "run", "-q", "-o", ledger, program], env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    why = subprocess.run(
        [*stagelight, "why", ledger, "--format", "json"], env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout, json.loads(why.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    return str(tmp_path_factory.mktemp("digits"))


def own_causes(said: dict, function: str) -> Counter:
    """How often each cause made a function of the example trace again."""
    return Counter(
        cause["slug"]
        for miss in said["misses"]
        if miss["ledger"] == "trace" and miss["function"] == function and miss["file"].endswith((".py",))
        for cause in miss["causes"]
    )


def traces(said: dict) -> dict[str, int]:
    """Traces by name, of functions that the example defines."""
    own = [entry for entry in said["functions"] if "examples" in entry["file"]]
    return {name: sum(e["traces"] for e in own if e["function"] == name) for name in {e["function"] for e in own}}


def test_both_versions_print_the_same(folder):
    first, repaired = (watched(name, folder)[0] for name in ("train.py", "train_repaired.py"))
    assert first == repaired
    assert "unseen digits named rightly" in first


def test_the_first_version_makes_every_mistake(folder):
    said = watched("train.py", folder)[1]
    assert traces(said)["train_step"] == 9
    step = own_causes(said, "train_step")
    assert step["shape-changed"] >= 1
    assert step["weak-type-changed"] == 1
    assert step["static-value-changed"] >= 3
    assert own_causes(said, "score") == {"first-trace": 1, "call-convention-changed": 1}
    assert own_causes(said, "<lambda>")["function-recreated"] >= 6


def test_the_repaired_version_traces_everything_once(folder):
    said = watched("train_repaired.py", folder)[1]
    counts = traces(said)
    assert counts.pop("cross_entropy", 1) >= 1
    assert set(counts.values()) == {1}, counts
