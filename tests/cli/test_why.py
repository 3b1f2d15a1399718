"""``stagelight why``: options, formats, exit codes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.calling import called
from report.ledgers import function, header_of, raised, structure, traced, two_shapes, write_ledger

import stagelight
from stagelight.errors import UsageError
from stagelight.model.ledger import LedgerError

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(stagelight.__file__).parents[1])}


@pytest.fixture
def ledger(tmp_path):
    library = function(2, "update", "/opt/site-packages/optax/update.py", own=False)
    return str(write_ledger(tmp_path / "a.jsonl", *two_shapes(end=False), library, *raised()))


def test_it_says_what_changed_where_and_exits_with_0(ledger):
    result = called("why", ledger)
    assert result.exit_code == 0
    assert "x     f32[32,128] → f32[17,128]" in result.output
    assert "from  train.py:30 in main" in result.output
    assert "\x1b" not in result.output


def test_json_is_one_object_and_nothing_else(ledger):
    result = called("why", ledger, "--format", "json")
    assert result.exit_code == 0
    assert json.loads(result.output)["misses"][2]["causes"][0]["slug"] == "shape-changed"


@pytest.mark.parametrize(
    ("format", "said"), [("markdown", "# stagelight why"), ("github", "::warning file=train.py,line=30")]
)
def test_other_formats(ledger, format, said):
    assert called("why", ledger, "--format", format, GITHUB_WORKSPACE="").output.startswith(said)


def test_annotations_are_relative_to_the_checkout(ledger):
    assert "file=ada/train.py" in called("why", ledger, "--format", "github", GITHUB_WORKSPACE="/home").output


def test_one_function_one_cause_one_file(ledger):
    assert "No function matches" in called("why", ledger, "--function", "nothing").output
    assert "first-trace" in called("why", ledger, "--cause", "first-trace").output
    assert "shape-changed" in called("why", ledger, "--file", "train.py").output


def test_all_shows_expected_misses(ledger):
    assert "first-compile" not in called("why", ledger).output
    assert "first-compile" in called("why", ledger, "--all").output


def test_it_asks_for_a_ledger():
    result = called("why")
    assert result.exit_code == 2
    assert "LEDGER" in result.output


def test_a_file_that_is_no_ledger_is_an_error_of_ours(tmp_path):
    (tmp_path / "train.py").write_text("import jax\n")
    assert isinstance(called("why", str(tmp_path / "train.py")).exception, LedgerError)


def test_the_process_prints_the_message_alone_and_exits_with_2(tmp_path):
    command = [sys.executable, "-m", "stagelight", "why", str(tmp_path / "nowhere.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("stagelight: ")
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_reading_a_ledger_never_loads_jax(ledger):
    program = (
        "import sys; from stagelight.cli.entry import group; "
        f"group.main(['why', {ledger!r}], standalone_mode=False); assert 'jax' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_goes_away_is_no_error(ledger):
    command = f"{sys.executable} -m stagelight why {ledger} --format json | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
    assert done.stderr == ""


HOSTILE = "</script><script>alert(1)</script>\x1b[2J\x1b]0;x\x07\u202e`|::error::\n::error::"


@pytest.mark.parametrize("format", ["text", "markdown", "github", "json"])
def test_names_and_values_of_a_hostile_ledger_stay_text(tmp_path, format):
    entries = (
        function(name=HOSTILE, file=f"/home/ada/{HOSTILE}.py"),
        structure(HOSTILE),
        traced(1, 3, name=HOSTILE, mode=HOSTILE),
        traced(2, 4, name=HOSTILE, mode=f"{HOSTILE}2"),
        *raised(expression=HOSTILE),
    )
    header = header_of("/home/ada", host=HOSTILE)
    result = called("why", str(write_ledger(tmp_path / "a.jsonl", *entries, header=header)), "--format", format)
    assert result.exit_code == 0
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.output)
    assert not any(line.strip().startswith("::error::") for line in result.output.splitlines())
    assert "shape-changed" in result.output
    if format == "json":
        assert json.loads(result.output)["functions"][0]["function"] == HOSTILE
    else:
        assert "\u202e" not in result.output


def test_help_teaches_with_examples():
    output = called("why", "--help").output
    assert "Examples:" in output
    assert "stagelight why train.jsonl --function train_step" in output


def test_a_cause_that_is_none_is_refused(tmp_path):
    ended = called("why", str(tmp_path / "a.jsonl"), "--cause", "nope")
    assert isinstance(ended.exception, UsageError)
    assert "there is no cause 'nope'" in str(ended.exception)
