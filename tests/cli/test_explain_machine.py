"""``stagelight explain --machine`` as a user calls it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli.calling import called

from stagelight.errors import UsageError

pytest.importorskip("jax")
ROOT = Path(__file__).resolve().parents[2]
MODULE = """
import jax
import jax.numpy as jnp


@jax.jit
def double(x):
    return x * 2


def loss(x, mode="sum"):
    return double(x).sum() if mode == "sum" else x.mean()


def branch(x):
    return 1 if x > 0 else 2
"""


@pytest.fixture
def module(tmp_path):
    file = tmp_path / "model.py"
    file.write_text(MODULE)
    return file


def explained(*arguments, folder):
    command = [sys.executable, "-m", "stagelight", "explain", *map(str, arguments), "--machine"]
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"))
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env=environment)


def test_each_step_is_shown_beside_jax_and_what_changes_in_the_key(module):
    calls = ("--call", 'f32[4], mode="sum"', "--diff", 'f32[4], mode="mean"')
    ended = explained("model.py:loss", *calls, folder=module.parent)
    assert ended.returncode == 0, ended.stderr
    steps = ["1 split", "2 flatten", "3 abstract", "4 key", "5 look up", "6 trace"]
    assert [line.strip() for line in ended.stdout.splitlines() if line.strip()[:6] in [s[:6] for s in steps]][
        :3
    ] == steps[:3]
    assert "traced, as on JAX." in ended.stdout
    assert "'sum' → 'mean'" in ended.stdout
    assert "letter for letter the same on both" in ended.stdout


def test_json_holds_both_and_a_failed_trace_ends_with_1(module):
    ended = explained("model.py:branch", "--call", "f32[]", "--format", "json", folder=module.parent)
    assert ended.returncode == 1
    (one,) = json.loads(ended.stdout)["calls"]
    assert one["machine"]["outcome"] == "failed"
    assert one["agrees"]
    assert one["jax"]["error"].startswith("TracerBoolConversionError")


def test_html_is_a_page(module):
    ended = explained("model.py:loss", "--call", "f32[4]", "--format", "html", "-o", "page.html", folder=module.parent)
    assert ended.returncode == 0, ended.stderr
    page = (module.parent / "page.html").read_text()
    assert "aval of x" in page
    assert "<script src" not in page


def test_options_that_show_source_do_not_go_with_it(module):
    result = called("explain", f"{module}:loss", "--call", "f32[4]", "--machine", "--boundary")
    assert isinstance(result.exception, UsageError)
    assert "--machine shows steps" in str(result.exception)
