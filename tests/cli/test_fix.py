"""``stagelight fix`` as a user calls it."""

import json

import pytest
from cli.calling import called

from stagelight.cli import fix as fixing
from stagelight.cli.child import respond
from stagelight.cli.fix import KINDS
from stagelight.repair.rewrites import REWRITES

MODULE = b"# coding: latin-1\r\nimport jax\r\nimport jax.numpy as jnp\r\n\r\n\r\n@jax.jit\r\ndef halved(x):\r\n    if x.sum() > 1:  # gro\xdf\r\n        x = x / 2\r\n    return x\r\n\r\n\r\ndef fine(x):\r\n    return x + 1\r\n"  # noqa: E501


@pytest.fixture
def module(tmp_path):
    file = tmp_path / "model.py"
    file.write_bytes(MODULE)
    return file


@pytest.fixture
def here(module, monkeypatch):
    """The command in this process, where JAX is imported once; one test goes through the child process."""
    monkeypatch.chdir(module.parent)
    monkeypatch.setattr(fixing, "ask", lambda request, timeout_s: respond(request))
    return module


def test_a_repair_is_shown_with_what_was_compared_and_nothing_is_written(module, monkeypatch):
    monkeypatch.chdir(module.parent)
    ended = called("fix", "model.py:halved", "--call", "f32[3]")
    assert ended.exit_code == 1
    assert "+    x = jnp.where(x.sum() > 1, x / 2, x)" in ended.stdout
    assert "both sides agreed on 64 inputs" in ended.stdout
    assert "`x.sum() > 1` was true" in ended.stdout
    assert module.read_bytes() == MODULE


def test_writing_keeps_encoding_line_ends_and_comments(here):
    ended = called("fix", "model.py:halved", "--call", "f32[3]", "--write")
    assert ended.exit_code == 0
    written = here.read_bytes()
    kept = MODULE.split(b"    if x.sum()")[0]
    assert written.startswith(kept + b"    # gro\xdf\r\n    x = jnp.where(x.sum() > 1, x / 2, x)\r\n    return x\r\n")
    names = {}
    exec(compile(written, "model.py", "exec"), names)
    assert names["halved"](names["jnp"].ones(3)).tolist() == [0.5, 0.5, 0.5]


def test_a_function_that_traces_needs_nothing(here):
    ended = called("fix", "model.py:fine", "--call", "f32[3]", "--format", "json")
    report = json.loads(ended.stdout)
    assert (ended.exit_code, report.get("offered", []), report.get("slug", "")) == (0, [], "")


def test_a_kind_that_is_not_confirmed_is_not_written(here):
    ended = called("fix", "model.py:halved", "--call", "f32[3]", "--kind", "static", "--write")
    assert ended.exit_code == 1
    assert "refused static: x is an array" in ended.stdout
    assert "nothing was written" in ended.stderr
    assert here.read_bytes() == MODULE


def test_a_kind_that_does_not_apply_says_which_do(here):
    ended = called("fix", "model.py:halved", "--call", "f32[3]", "--kind", "scan")
    assert ended.exit_code == 1
    assert "refused scan: not a repair of this traced-condition; confirmed here: " in ended.stdout


def test_a_file_that_changed_meanwhile_is_left_alone(module):
    from stagelight.cli.fix import write_repair
    from stagelight.errors import UsageError
    from stagelight.model.finding import Edit, Span
    from stagelight.model.repair import Coverage, Repair

    coverage = Coverage(inputs=8, gradients=0, traces=1, signatures=1)
    span = Span(line=4, column=1, end_line=5, end_column=1)
    edits, diff = (Edit(span=span, text="new\n"),), "--- a\n+++ b\n-old\n+new\n"
    repair = Repair(kind="where", title="", edits=edits, diff=diff, coverage=coverage)
    with pytest.raises(UsageError, match="has changed since it was read"):
        write_repair(str(module), repair)
    assert module.read_bytes() == MODULE


def test_every_kind_of_repair_can_be_asked_for_and_no_other():
    assert {rewrite.kind for rewrite in REWRITES} <= set(KINDS)
    ended = called("fix", "model.py:halved", "--kind", "nope")
    assert ended.exit_code == 2
    assert "fori_loop" in ended.output
