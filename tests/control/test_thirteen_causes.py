"""Each of the thirteen reasons why JAX traces or compiles again stops at a guard, under its own name."""

import json
import os
import subprocess
import sys

import pytest
from control.thirteen_causes import PROGRAMS
from gates.tree import ROOT

RUN = """
import contextlib, json
import stagelight
from control.thirteen_causes import PROGRAMS

def stopped(name, recorded):
    warm, missed = PROGRAMS[name].make()
    with stagelight.watch() if recorded else contextlib.nullcontext() as ledger:
        if name != "6 new function":  # its first object dies with its call: the guard has to see both
            warm()
        try:
            with stagelight.no_retrace():
                if name == "6 new function":
                    warm()
                missed()
        except stagelight.RetraceForbidden as error:
            miss = error.misses[0]
            return {"ledger": miss.ledger, "causes": [c.slug for c in miss.causes], "message": str(error)}
    return None

print(json.dumps({f"{name}, {recorded}": stopped(name, recorded) for name in PROGRAMS for recorded in (False, True)}))
"""


@pytest.fixture(scope="module")
def stopped() -> dict[str, dict[str, object]]:
    """What the guard said of each, before and after recording knew of the warm-up; on two devices."""
    environment = dict(
        os.environ,
        PYTHONPATH=os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")]),
        JAX_PLATFORMS="cpu",
        XLA_FLAGS="--xla_force_host_platform_device_count=2",
    )
    command = [sys.executable, "-c", RUN]
    outcome = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    assert outcome.returncode == 0, outcome.stderr
    return json.loads(outcome.stdout)


@pytest.mark.parametrize("recorded", [False, True], ids=["warmed unseen", "warmed in a recording"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_guard_names_the_cause(stopped, name: str, recorded: bool):
    program, said = PROGRAMS[name], stopped[f"{name}, {recorded}"]
    assert said is not None, "the guard let it pass"
    assert said["ledger"] == program.ledger
    assert said["causes"] == [program.slug]
    assert "thirteen_causes.py" in said["message"]
