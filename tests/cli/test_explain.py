"""``stagelight explain`` as a user calls it."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli.calling import called

from stagelight.cli import explain as explaining
from stagelight.cli.child import Request, ask, respond
from stagelight.errors import StagelightError, UsageError

ROOT = Path(__file__).resolve().parents[2]
MODULE = """
import jax
import jax.numpy as jnp


def loss(x, mode="sum"):
    print("tracing")
    scale = x.shape[0]
    return (x.sum() if mode == "sum" else x.mean()) * scale


@jax.jit
def clipped(x, limit):
    if x.sum() > limit["top"]:
        return x * 0
    return x


def endless(x):
    import time

    while True:
        time.sleep(0.1)
"""


@pytest.fixture
def module(tmp_path):
    file = tmp_path / "model.py"
    file.write_text(MODULE)
    return file


@pytest.fixture
def here(module, monkeypatch):
    """The command in this process, where JAX is imported once; other tests go through the child process."""

    def asked(request, timeout_s):
        with contextlib.redirect_stdout(sys.stderr):
            return respond(request)

    monkeypatch.chdir(module.parent)
    monkeypatch.setattr(explaining, "ask", asked)
    return module


def stagelight(*arguments, folder):
    command = [sys.executable, "-m", "stagelight", *map(str, arguments)]
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"))
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env=environment)


def test_text_shows_source_equations_and_static_values(module):
    ended = stagelight("explain", "model.py:loss", "--call", 'f32[4], mode="sum"', folder=module.parent)
    assert ended.returncode == 0
    assert "loss(f32[4], mode='sum')" in ended.stdout
    assert "scale = x.shape[0]" in ended.stdout
    assert "MMMMMMM" in ended.stdout
    assert "! print ran while tracing" in ended.stdout
    assert "reduce_sum f32[]" in ended.stdout
    assert "static mode = 'sum'" in ended.stdout
    assert "tracing\n" in ended.stderr
    assert "\ntracing\n" not in ended.stdout


def test_a_failure_names_expression_arguments_and_ways_out(here):
    call = "f32[4], {'top': ~f32[]}"
    ended = called("explain", "model.py:clipped", "--call", call, "--format", "json")
    assert ended.exit_code == 1
    failure = json.loads(ended.stdout)["failure"]
    assert failure["failure"]["slug"] == "traced-condition"
    assert failure["failure"]["expression"] == 'x.sum() > limit["top"]'
    assert failure["failure"]["arguments"] == ["x", "limit['top']"]
    assert failure["span"] == {"line": 14, "column": 8, "end_line": 14, "end_column": 30}


def test_two_specializations_side_by_side(here):
    call, other = 'f32[4], mode="sum"', 'f32[4], mode="mean"'
    ended = called("explain", "model.py:loss", "--call", call, "--diff", other)
    assert ended.exit_code == 0
    assert "static mode: 'sum' → 'mean'" in ended.stdout
    assert "+ │   reduce_sum f32[] axes=(0,) · div f32[] 4.0" in ended.stdout


@pytest.mark.parametrize("more", [(), ("--diff", "f32[8]")])
def test_a_page_is_written_and_not_overwritten(here, more):
    arguments = ("explain", "model.py:loss", "--call", "f32[4]", *more, "--format", "html", "-o", "page.html")
    assert called(*arguments).exit_code == 0
    page = (here.parent / "page.html").read_text()
    assert "<!doctype html>" in page
    assert ("f32[8]" in page) is bool(more)
    again = called(*arguments)
    assert "page.html exists: give --force" in str(again.exception)


def test_the_call_can_come_from_a_ledger(module):
    program = module.parent / "main.py"
    program.write_text("import jax, jax.numpy as jnp\nfrom model import loss\njax.jit(loss)(jnp.ones(7))\n")
    assert stagelight("run", "-q", "-o", "seen.jsonl", "main.py", folder=module.parent).returncode == 0
    ended = stagelight("explain", "model.py:loss", "--from", "seen.jsonl", folder=module.parent)
    assert (ended.returncode, ended.stderr.replace("tracing\n", "")) == (0, "")
    assert "loss(f32[7])" in ended.stdout


def error_of(module, target, call=""):
    """The message that the child would hand back, asked for in this process."""
    path = list(sys.path)
    try:
        return respond(
            Request(task="explain", target=target.replace("FOLDER", str(module.parent)), calls=(call,))
        ).error
    except UsageError as error:
        return str(error)
    finally:
        sys.path[:] = path


@pytest.mark.parametrize(
    ("target", "call", "message"),
    [
        ("model.py", "", "names no function"),
        ("FOLDER/model.py:losss", "", "has no losss; it has clipped, endless, loss"),
        ("FOLDER/missing.py:f", "", "there is no file"),
        ("book.ipynb:f", "", "is a notebook"),
        ("FOLDER/model.py:loss", "f32[4", "cannot read the call"),
        ("FOLDER/model.py:loss", "unknown", "NameError"),
        ("FOLDER/broken.py:f", "", "is no Python of this version: line 1"),
        ("FOLDER/raising.py:f", "", "raised ZeroDivisionError at"),
        ("FOLDER/leaving.py:f", "", "raised SystemExit"),
        ("no_such_module:f", "", "importing no_such_module raised ModuleNotFoundError"),
    ],
)
def test_bad_input_gets_a_message(module, target, call, message):
    (module.parent / "broken.py").write_text("def f(:\n")
    (module.parent / "raising.py").write_text("x = 1 / 0\n")
    (module.parent / "leaving.py").write_text("raise SystemExit(3)\n")
    assert message in error_of(module, target, call)


def test_an_endless_trace_and_a_dying_process_end_with_a_message(module):
    (module.parent / "gone.py").write_text("import os\nos._exit(7)\n")
    request = Request(task="explain", target=f"{module}:endless", calls=("f32[]",))
    with pytest.raises(StagelightError, match="was not done after 5 s: its import or its trace does not end"):
        ask(request, timeout_s=5)
    request = Request(task="explain", target=f"{module.parent / 'gone.py'}:f", calls=("",))
    with pytest.raises(StagelightError, match="ended the process that imported it, with exit code 7"):
        ask(request, timeout_s=60)


def test_wrong_usage_prints_the_message_alone(module):
    ended = stagelight("explain", "model.py:loss", "--call", "1", "--from", "l", folder=module.parent)
    assert ended.returncode == 2
    assert ended.stderr == "stagelight: give --call or --from, not both\n"
