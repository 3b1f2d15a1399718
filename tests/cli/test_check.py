"""``stagelight check`` and ``stagelight rule`` as people and machines use them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import stagelight
from stagelight.cli.check import command as check
from stagelight.cli.rule import command as rule
from stagelight.errors import UsageError

BAD = "import jax\n\n\n@jax.jit\ndef f(x):\n    return x if x > 0 else -x\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(BAD)

    def invoke(command, *arguments):
        return CliRunner().invoke(command, arguments)

    return invoke


def test_exit_codes(run, tmp_path):
    assert run(check, "a.py").exit_code == 1
    (tmp_path / "b.py").write_text("x = 1\n")
    assert run(check, "b.py").exit_code == 0
    assert run(check, "b.py", "--format", "nonsense").exit_code == 2
    assert isinstance(run(check, "missing").exception, UsageError)


def test_the_current_folder_is_the_default(run):
    assert "a.py:6:17: [traced-condition]" in run(check, "--format", "concise").output


def test_json_is_all_that_is_written(run):
    (entry,) = json.loads(run(check, "a.py", "--format", "json").stdout)
    assert (entry["slug"], entry["file"], entry["line"], entry["column"]) == ("traced-condition", "a.py", 6, 17)


@pytest.mark.parametrize("name", ["full", "concise", "github", "sarif"])
def test_every_format_names_the_rule(run, name):
    assert "traced-condition" in run(check, "a.py", "--format", name).output


def test_statistics(run):
    assert run(check, "--statistics").output.startswith("     1  traced-condition\n")


def test_select_and_ignore(run):
    assert run(check, "--select", "tracer-leak, jit-in-loop").exit_code == 0
    assert run(check, "--ignore", "traced-condition").exit_code == 0
    error = run(check, "--select", "traced-conditon").exception
    assert isinstance(error, UsageError)
    assert "Did you mean 'traced-condition'" in str(error)


def test_configuration_is_read_unless_told_not_to(run, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.stagelight.check]\nignore = ['traced-condition']\n")
    assert run(check).exit_code == 0
    assert run(check, "--no-configuration").exit_code == 1


def test_a_baseline_is_written_and_read(run):
    assert isinstance(run(check, "--update-baseline").exception, UsageError)
    assert run(check, "--baseline", "known.json", "--update-baseline").exit_code == 0
    result = run(check, "--baseline", "known.json")
    assert (result.exit_code, result.output) == (0, "No findings in 1 file (1 in the baseline).\n")


def test_fix_writes_and_checks_again(run, tmp_path):
    text = (
        "from functools import partial\nimport jax\n@partial(jax.jit, static_argnums=1)\ndef f(x, n):\n    return x\n"
        "def main(x):\n    return f(x, [1, 2])\n"
    )
    (tmp_path / "a.py").write_text(text)
    assert run(check, "a.py", "--fix").exit_code == 0
    assert (tmp_path / "a.py").read_text() == text.replace("[1, 2]", "(1, 2)")


def test_a_file_that_is_not_python_is_told_on_standard_error(run, tmp_path):
    (tmp_path / "b.py").write_text("def (\n")
    result = run(check, "b.py")
    assert result.exit_code == 1
    assert "b.py is not Python that this interpreter reads: line 1" in result.stderr


def test_checking_imports_neither_jax_nor_the_program(tmp_path):
    (tmp_path / "a.py").write_text(BAD + "\nopen('ran', 'w')\n")
    code = (
        "import sys\nfrom stagelight.cli.check import command\n"
        "try:\n    command(['a.py', '--no-cache'])\nexcept SystemExit as end:\n    assert end.code == 1\n"
        "assert 'jax' not in sys.modules and 'numpy' not in sys.modules\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(stagelight.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, env=environment)
    assert not (tmp_path / "ran").exists()


def test_rule_shows_the_page_and_the_cause_of_the_same_name(run):
    output = run(rule, "traced-condition").output
    assert output.startswith("# traced-condition\n")
    assert "## Use instead" in output
    assert "## As a failure of a watched program" in output


def test_rule_shows_causes_and_the_ignore_rule(run):
    assert run(rule, "weak-type-changed").output.startswith("# weak-type-changed\n")
    assert "Remove it" in run(rule, "unused-ignore").output


def test_rule_lists_everything_without_a_slug(run):
    output = run(rule).output
    assert "traced-condition" in output
    assert "weak-type-changed" in output


def test_an_unknown_slug_is_an_error(run):
    assert isinstance(run(rule, "nonsense").exception, UsageError)
