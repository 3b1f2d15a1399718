"""Files in, findings out: selection, ignores, baseline, cache, notebooks, and files that cannot be read."""

import json

import pytest

from stagelight.errors import UsageError
from stagelight.inspection import inspector
from stagelight.inspection.baseline import write_baseline
from stagelight.inspection.configuration import CheckConfiguration
from stagelight.inspection.inspector import inspect_files
from stagelight.inspection.source_lines import lines_of_file
from stagelight.report.findings_full import full_lines

BAD = "import jax\n\n\n@jax.jit\ndef f(x):\n    return x if x > 0 else -x\n"
GOOD = "import jax\n\n\n@jax.jit\ndef f(x):\n    return -x\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(folder, **files):
    for name, text in files.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _check(*paths, **settings):
    return inspect_files(paths or (".",), CheckConfiguration(**settings), jobs=1)


def _slugs(inspection):
    return [(item.finding.file, item.finding.slug) for item in inspection.findings]


def test_a_folder_is_read_through(folder):
    _write(folder, **{"pkg/__init__": "", "pkg/a": BAD, "b": GOOD, ".venv/c": BAD})
    inspection = _check()
    assert _slugs(inspection) == [("pkg/a.py", "traced-condition")]
    assert inspection.file_count == 3


def test_modules_of_the_program_are_found_beside_and_below(folder):
    helper = "def pick(v):\n    return v if v > 0 else -v\n"
    text = "import jax\nfrom .helpers import pick\n@jax.jit\ndef f(x):\n    return pick(x * 2)\n"
    _write(folder, **{"src/pkg/__init__": "", "src/pkg/helpers": helper, "src/pkg/main": text})
    assert _slugs(_check("src")) == [("src/pkg/helpers.py", "traced-condition")]
    # Reported only in files that were asked for.
    assert _slugs(_check("src/pkg/main.py")) == []


def test_two_roots_may_hold_modules_of_one_name(folder):
    helper = "def pick(v):\n    return v if {} else -v\n"
    text = "import jax\nfrom helpers import pick\n@jax.jit\ndef f(x):\n    return pick(x * 2)\n"
    _write(folder, **{"a/helpers": helper.format("v > 0"), "a/main": text})
    _write(folder, **{"b/helpers": helper.format("v.ndim"), "b/main": text})
    assert _slugs(_check()) == [("a/helpers.py", "traced-condition")]


def test_rules_are_selected_and_ignored(folder):
    _write(folder, a=BAD)
    assert not _check(select=("tracer-leak",)).findings
    assert not _check(ignore=("traced-condition",)).findings
    inspection = _check(per_file_ignores={"a.py": ("traced-condition",)})
    assert (inspection.findings, inspection.ignored_count) == ((), 1)


def test_comments_ignore_the_findings_of_their_line(folder):
    _write(folder, a=BAD.replace("-x\n", "-x  # stagelight: ignore[traced-condition]\n"))
    inspection = _check()
    assert (inspection.findings, inspection.ignored_count) == ((), 1)


def test_a_comment_that_ignores_nothing_is_reported(folder):
    _write(folder, a=GOOD.replace("-x\n", "-x  # stagelight: ignore[tracer-leak]\n"), b='X = "# stagelight: ignore"\n')
    assert _slugs(_check()) == [("a.py", "unused-ignore")]
    # With the rule switched off, nobody can say whether the comment is needed.
    assert not _check(ignore=("tracer-leak",)).findings


def test_a_baseline_hides_what_is_known_even_when_lines_move(folder):
    _write(folder, a=BAD)
    assert write_baseline(folder / "known.json", _check().findings) == 1
    _write(folder, a="# a new line\n" + BAD)
    inspection = _check(baseline="known.json")
    assert (inspection.findings, inspection.baseline_count) == ((), 1)
    _write(folder, a=BAD.replace("x > 0", "x > 1"))
    assert len(_check(baseline="known.json").findings) == 1


def test_a_baseline_that_is_missing_or_wrong_is_an_error(folder):
    _write(folder, a=BAD)
    with pytest.raises(UsageError, match="--update-baseline"):
        _check(baseline="nothing.json")
    (folder / "wrong.json").write_text("[1]")
    with pytest.raises(UsageError, match=r"wrong\.json is not a baseline"):
        _check(baseline="wrong.json")


def test_equal_expressions_have_their_own_fingerprints(folder):
    _write(folder, a=BAD.replace("return x if x > 0 else -x", "return (x if x > 0 else -x) + (x if x > 0 else x)"))
    first, second = _check().findings
    assert first.finding.expression == second.finding.expression
    assert first.fingerprint != second.fingerprint


def test_results_are_cached_until_a_file_or_what_it_calls_changes(folder):
    helper = "def pick(v):\n    return v if v > 0 else -v\n"
    text = "import jax\nfrom helpers import pick\n@jax.jit\ndef f(x):\n    return pick(x * 2)\n"
    _write(folder, helpers=helper, main=text)
    fresh = _check()
    assert fresh.cached_count == 0
    again = _check()
    assert (again.cached_count, again.findings) == (2, fresh.findings)
    _write(folder, helpers=helper.replace("v > 0", "v.ndim"))
    changed = _check()
    assert (changed.cached_count, changed.findings) == (0, ())


def test_a_module_that_appears_later_counts_as_a_change(folder):
    _write(folder, main="import jax\nfrom helpers import pick\n@jax.jit\ndef f(x):\n    return pick(x * 2)\n")
    assert not _check("main.py").findings
    _write(folder, helpers="def pick(v):\n    return v if v > 0 else -v\n")
    assert _slugs(_check("main.py", "helpers.py")) == [("helpers.py", "traced-condition")]


def test_a_damaged_cache_counts_as_empty(folder):
    _write(folder, a=BAD)
    before = _check()
    (folder / ".stagelight_cache" / "check.msgpack").write_bytes(b"\x00rubbish")
    assert _check().findings == before.findings


def test_processes_find_what_one_finds(folder):
    _write(folder, **{f"m{n}": BAD if n % 2 else GOOD for n in range(6)})
    alone = inspect_files((".",), CheckConfiguration(), jobs=1, use_cache=False)
    together = inspect_files((".",), CheckConfiguration(), jobs=2, use_cache=False)
    assert alone == together
    assert len(alone.findings) == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"def f(:\n", "line 1"),
        (b"print 'x'\n", "line 1"),
        (b"# coding: nonsense\n", "encoding"),
        (b"x = '\xff'\n", "encoding"),
        (b"x = '\x00'\n", "null"),
        (b"x = " + b"(" * 5000 + b")" * 5000, "is n"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_problem_and_the_rest_goes_on(folder, content, words):
    (folder / "bad.py").write_bytes(content)
    _write(folder, good=BAD)
    inspection = _check()
    assert _slugs(inspection) == [("good.py", "traced-condition")]
    (problem,) = inspection.problems
    assert (problem.file, problem.is_internal) == ("bad.py", False)
    assert words in problem.message


def test_other_encodings_and_line_endings_are_read(folder):
    (folder / "a.py").write_bytes(("# coding: latin-1\n" + BAD + "# ü\n").encode("latin-1"))
    (folder / "b.py").write_bytes(b"\xef\xbb\xbf" + BAD.replace("\n", "\r\n").encode())
    lines = {item.finding.file: item.finding.span.line for item in _check().findings}
    assert lines == {"a.py": 7, "b.py": 6}


def test_a_path_that_does_not_exist_is_an_error(folder):
    with pytest.raises(UsageError, match="missing does not exist"):
        _check("missing")


def _notebook(*cells):
    made = [{"cell_type": kind, "source": text.splitlines(keepends=True)} for kind, text in cells]
    return json.dumps({"nbformat": 4, "cells": made})


def test_notebooks_are_checked_cell_by_cell(folder):
    cells = [
        ("markdown", "# text"),
        ("code", "%matplotlib inline\nimport jax\n!ls"),
        ("code", "%%bash\nls -l"),
        ("code", "@jax.jit\ndef f(x):\n    return x if x > 0 else -x"),
    ]
    (folder / "n.ipynb").write_text(_notebook(*cells))
    (item,) = _check().findings
    assert (item.finding.file, item.finding.span.line, item.finding.span.column) == ("n.ipynb#cell4", 3, 17)
    assert item.finding.path[0].file == "n.ipynb#cell4"


def test_a_file_that_is_no_notebook_is_a_problem(folder):
    (folder / "n.ipynb").write_text("{}")
    assert "not a notebook" in _check().problems[0].message


def test_a_file_that_is_gone_when_it_is_read_is_a_problem(folder, monkeypatch):
    _write(folder, good=BAD)
    missing = folder / "gone.py"
    monkeypatch.setattr(inspector, "discover_files", lambda *_, **__: (missing, folder / "good.py"))
    inspection = _check()
    assert _slugs(inspection) == [("good.py", "traced-condition")]
    (problem,) = inspection.problems
    assert (problem.file, "cannot be read" in problem.message) == ("gone.py", True)


def test_a_file_that_changed_after_it_was_read_is_shown_without_its_lines(folder):
    _write(folder, good=BAD)
    inspection = _check()
    (folder / "good.py").write_text("")
    shown = list(full_lines(inspection, lines_of_file))
    assert shown[0].startswith("good.py:6:")
    assert not any(" | " in line for line in shown)
    (folder / "good.py").unlink()
    assert list(full_lines(inspection, lines_of_file)) == shown


def test_of_installed_packages_only_the_checked_one_is_read(folder):
    installed = folder / "lib" / "site-packages"
    helper = "def tested(x):\n    if x > 0:\n        return x\n    return -x\n"
    _write(installed, **{"other/__init__": "", "other/helping": helper, "own/__init__": "", "own/helping": helper})
    caller = "import jax\nfrom {} import helping\n\n\n@jax.jit\ndef f(x):\n    return helping.tested(x)\n"
    _write(installed, **{"own/a": caller.format("own"), "own/b": caller.format("other")})
    found = [(item.finding.file, item.finding.slug) for item in _check("lib/site-packages/own").findings]
    assert found == [("lib/site-packages/own/helping.py", "traced-condition")]
    assert _slugs(_check("lib/site-packages/own/b.py")) == []
