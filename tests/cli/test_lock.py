"""The lock file on the command line: written, reviewed, verified, and what is refused."""

import json
import os
import subprocess
import sys

import pytest
from gates.tree import ROOT

PROGRAM = """
import jax, jax.numpy as jnp

@jax.jit
def step(x, params):
    for _ in range(UNROLL):
        x = x * 2
    return (x + params["w"]).sum()

def make():
    return jax.jit(lambda x: x - 1)

for n in SIZES:
    step(jnp.ones(n), {"w": jnp.ones(n)})
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_program()
    return tmp_path


def write_program(sizes="(4, 4)", unroll="1", more=""):
    with open("program.py", "w") as file:
        file.write(PROGRAM.replace("SIZES", sizes).replace("UNROLL", unroll) + more)


def stagelight(*arguments, answers=None, **variables):
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu", **variables)
    full = [sys.executable, "-m", "stagelight", *arguments]
    return subprocess.run(full, env=environment, capture_output=True, text=True, input=answers)


def test_locked_changed_reviewed(folder):
    """One story, because each step needs the one before."""
    assert stagelight("lock", "program.py").returncode == 0
    first = (folder / "stagelight.lock").read_text()
    assert '["x", "f32[4]"]' in first
    assert "line" not in first

    same = stagelight("verify", "--locked")
    assert (same.returncode, same.stdout) == (0, "As stagelight.lock says: 1 function, 1 specialization.\n")

    write_program(sizes="(4, 5)", unroll="4")
    changed = stagelight("verify", "--format", "json")
    assert changed.returncode == 1
    found = {(c["severity"], c["kind"], c.get("subject", "")) for c in json.loads(changed.stdout)["changes"]}
    assert {
        ("error", "specialization-added", ""),
        ("error", "cause-added", "shape-changed"),
        ("warning", "program-grew", "equations"),
    } <= found

    refused = stagelight("lock", "--review", answers="n\n" * 9)
    assert refused.returncode == 0
    assert stagelight("verify").returncode == 1

    assert stagelight("lock", "--review", answers="y\n" * 9).returncode == 0
    assert stagelight("verify", "--locked").returncode == 0

    write_program()
    assert stagelight("verify").returncode == 0
    stale = stagelight("verify", "--locked")
    assert stale.returncode == 1
    assert "has a specialization less" in stale.stdout


def test_the_same_bytes_for_other_hash_seeds_and_folders(folder, tmp_path_factory, monkeypatch):
    written = []
    for seed in ("1", "2"):
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        write_program(sizes="(4, 5)")
        outcome = stagelight("lock", "program.py", PYTHONHASHSEED=seed)
        assert outcome.returncode == 0, outcome.stderr
        written.append(open("stagelight.lock").read())
    assert written[0] == written[1]


def test_against_another_commit_in_every_format(folder):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "program.py"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *arguments], check=True)
    write_program(sizes="(4, 5)")
    annotated = stagelight("verify", "--against", "HEAD", "program.py", "--format", "github")
    assert annotated.returncode == 1, annotated.stderr
    assert annotated.stdout.startswith("::error file=program.py,line=5,title=stagelight verify::program.py::step has")
    scanned = stagelight("verify", "--against", "HEAD", "program.py", "--format", "sarif")
    result = json.loads(scanned.stdout)["runs"][0]["results"][0]
    assert (result["ruleId"], result["level"]) == ("specialization-added", "error")
    assert stagelight("verify", "--against", "no-such-branch", "program.py").returncode == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<<<<<<< HEAD\nschema = 1\n", "holds merge markers (line 1)"),
        ("schema = ", "is broken"),
        ("schema = 99\n", "has schema 99"),
        ("schema = 1\n", "is no lock file"),
        ('schema = 1\njax = "1"\nprograms = [3]\n', "is no lock file"),
    ],
)
def test_broken_locks_are_refused_whole(folder, text, complaint):
    (folder / "stagelight.lock").write_text(text)
    outcome = stagelight("verify")
    assert outcome.returncode == 2
    assert complaint in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_what_is_not_there_is_wrong_usage(folder):
    for arguments in (["verify"], ["lock"], ["lock", "absent.py"], ["lock", "absent.jsonl"]):
        outcome = stagelight(*arguments)
        assert outcome.returncode == 2
        assert "Traceback" not in outcome.stderr


def test_a_program_that_fails_writes_no_lock(folder):
    write_program(more="\nraise SystemExit(3)\n")
    outcome = stagelight("lock", "program.py")
    assert outcome.returncode == 2
    assert "program.py exited with 3" in outcome.stderr
    assert not (folder / "stagelight.lock").exists()
