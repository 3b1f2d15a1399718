"""The example of ragged text gives the same losses bucketed and not, and compiles far less."""

import re
import subprocess
import sys

import pytest
from gates.tree import ROOT

pytest.importorskip("optax")


def printed(*options, batches="5"):
    program = ROOT / "examples" / "ragged_text" / "train.py"
    environment = {"PYTHONPATH": str(ROOT / "src"), "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
    ran = subprocess.run(
        [sys.executable, str(program), "--batches", batches, *options], env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_bucketed_and_plain_train_alike():
    bucketed, plain = printed(), printed("--plain")
    losses = [re.search(r"last ten: (.*)", text).group(1) for text in (bucketed, plain)]
    assert losses[0] == losses[1]


def test_sixty_batches_of_sixty_shapes_compile_once_a_bucket():
    text = printed(batches="60")
    batches, shapes = map(int, re.search(r"(\d+) batches of (\d+) shapes", text).groups())
    buckets = [int(calls) for calls in re.findall(r"^  b=8, t=\d+: (\d+) calls", text, re.MULTILINE)]
    assert batches == sum(buckets) > 50
    assert shapes > 50
    assert int(re.search(r"(\d+) compiles", text).group(1)) == len(buckets) == 5
