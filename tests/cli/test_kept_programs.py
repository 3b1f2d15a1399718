"""``run --programs`` and ``diff``: the first lines in which two runs compiled the same key differently."""

import json
import os
import subprocess
import sys

import pytest
from cli.calling import called

from stagelight.errors import UsageError
from stagelight.model.event import Compiled
from stagelight.recorder.ledger_file import ledgers_from

PROGRAM = """\
import sys
import jax, jax.numpy as jnp, numpy as np
scale = np.arange(8.0, dtype=np.float32) + float(sys.argv[1])
@jax.jit
def step(batch):
    total = 0.0
    for name in sys.argv[2]:
        total = total + jnp.sin(batch[name]).sum()
    return total + (batch["a"] * scale).sum()
print(step({name: jnp.ones(8) for name in "abc"}))
"""


def run(folder, ledger, *arguments, **environment):
    (folder / "step.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "stagelight", "run", "-q", "-o", ledger, "--programs", "kept", "step.py"]
    done = subprocess.run(
        [*command, *arguments], cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return str(folder / ledger)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return {
        "plain": run(folder, "plain.jsonl", "0", "abc"),
        "constant": run(folder, "constant.jsonl", "1", "abc"),
        "order": run(folder, "order.jsonl", "0", "cab"),
    }


def compiles_of(ledger):
    return [entry for entry in ledgers_from([ledger])[0].entries() if isinstance(entry, Compiled)]


def program_differences(before, after):
    difference = json.loads(called("diff", before, after, "--format", "json").output)
    return {one["module"]: one for function in difference["functions"] for one in function["programs"]}


def test_every_compile_names_a_program_that_is_kept(runs):
    compiles = compiles_of(runs["plain"])
    folder = os.path.join(os.path.dirname(runs["plain"]), "kept")
    assert compiles
    assert {f"{one.kept_program}.mlir" for one in compiles} <= set(os.listdir(folder))


def test_another_constant_is_named_with_its_values(runs):
    (found,) = program_differences(runs["plain"], runs["constant"]).values()
    assert found["origin"] == "constants"
    assert "0.000000e+00, 1.000000e+00" in found["before"][0]["text"]
    assert "1.000000e+00, 2.000000e+00" in found["after"][0]["text"]


def test_another_order_is_named_with_its_operation_and_line(runs):
    (found,) = program_differences(runs["plain"], runs["order"]).values()
    assert found["origin"] == "order"
    assert found["before"][0]["operation"].endswith("sin")
    assert found["before"][0]["place"].endswith("step.py:8")


@pytest.mark.parametrize(("format_name", "told"), [("text", "program jit(step): order"), ("markdown", "jit(step)"),
                                                   ("html", "stablehlo.sine")])  # fmt: skip
def test_it_is_shown_in_every_format(runs, format_name, told):
    shown = called("diff", runs["plain"], runs["order"], "--format", format_name)
    assert shown.exit_code == 0
    assert told in shown.output


def test_keeping_programs_changes_no_key_and_sees_compiles_from_the_persistent_cache(tmp_path):
    cache = {"JAX_COMPILATION_CACHE_DIR": str(tmp_path / "cache"), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
    (tmp_path / "step.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "stagelight", "run", "-q", "-o", "cold.jsonl", "step.py", "0", "abc"]
    subprocess.run(command, cwd=tmp_path, env=os.environ | cache, capture_output=True, check=True)
    warm = run(tmp_path, "warm.jsonl", "0", "abc", **cache)
    compiles = compiles_of(warm)
    assert {one.persistent.outcome for one in compiles} == {"hit"}
    assert all(one.kept_program for one in compiles)
    assert program_differences(str(tmp_path / "cold.jsonl"), warm) == {}


def test_programs_moved_beside_their_ledger_are_found(runs, tmp_path):
    for name in ("plain", "constant"):
        lines = open(runs[name]).read().replace(os.path.dirname(runs[name]), "/gone")
        (tmp_path / f"{name}.jsonl").write_text(lines)
    os.symlink(os.path.join(os.path.dirname(runs["plain"]), "kept"), tmp_path / "kept")
    assert program_differences(str(tmp_path / "plain.jsonl"), str(tmp_path / "constant.jsonl"))


def test_bad_folders_are_told_at_the_door(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "step.py").write_text("pass")
    for arguments, told in (
        (("--programs", str(tmp_path / "file")), "cannot be made"),
        (("--programs", str(tmp_path / "kept"), "--redact"), "--redact"),
    ):
        result = called("run", *arguments, str(tmp_path / "step.py"))
        assert isinstance(result.exception, UsageError)
        assert told in str(result.exception)
