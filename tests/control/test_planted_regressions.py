"""Every avoidable cause, planted in a loop that has a lock, is caught under its own name."""

import json
import os
import subprocess
import sys

import pytest
from control.planted_regressions import PLANTED
from gates.tree import ROOT

from stagelight.attribution.registry import CAUSES
from stagelight.model.attribution import EXPECTED_CAUSES

# An entry is evicted when 2,048 other traces have happened since: too many for a test that compiles.
ELSEWHERE = {"cache-evicted", "unknown"}


@pytest.fixture(scope="module")
def found():
    environment = dict(
        os.environ,
        PYTHONPATH=os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")]),
        JAX_PLATFORMS="cpu",
        XLA_FLAGS="--xla_force_host_platform_device_count=2",
    )
    command = [sys.executable, "-m", "control.planted_regressions"]
    outcome = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr
    return json.loads(outcome.stdout)


def test_there_is_one_for_each_avoidable_cause():
    avoidable = {
        rule.page.slug
        for rule in CAUSES
        if (rule.in_trace or rule.in_compile) and rule.page.slug not in EXPECTED_CAUSES
    }
    assert set(PLANTED) == avoidable - ELSEWHERE


def test_the_loop_as_it_is_differs_in_nothing(found):
    assert found["unchanged"] == 0


@pytest.mark.parametrize("slug", PLANTED)
def test_it_is_caught(found, slug):
    assert slug in found["added"][slug]
