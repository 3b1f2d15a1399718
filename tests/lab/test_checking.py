"""The steps of a lesson in their order, and what learners' files may do to them; progress is never lost."""

import functools
import shutil

import pytest
from lab.lessons_for_tests import SMALL, laid_study

from stagelight.errors import LabError, UsageError
from stagelight.lab import checker_seal, course, requests
from stagelight.lab.checking import (
    answer_checkpoint,
    check_exercise,
    commit_predictions,
    next_hint,
    reset,
    run_lesson,
    solution_of,
)
from stagelight.lab.lesson_reading import lesson_from_text
from stagelight.lab.study import Study, study_of

LESSON = lesson_from_text(SMALL, "07-small.md")
EXERCISE = LESSON.exercises[0]


@pytest.fixture
def study(tmp_path, monkeypatch) -> Study:
    monkeypatch.setattr(course, "course", lambda: (LESSON,))
    monkeypatch.setattr("stagelight.lab.study.course", lambda: (LESSON,))
    return laid_study(tmp_path, monkeypatch)


@pytest.fixture
def ready(study, examiner):
    """Predicted and run."""
    commit_predictions(study, LESSON, {"traces": "1"})
    run_lesson(study, LESSON, examiner)
    return study


@pytest.fixture
def check(ready, examiner):
    file = ready.exercise_file(LESSON, EXERCISE)

    def checked(source: str):
        file.write_text(source)
        return check_exercise(ready, LESSON, EXERCISE, examiner)

    return checked


def test_nothing_runs_before_it_is_predicted(study, examiner):
    with pytest.raises(LabError, match="predict first"):
        run_lesson(study, LESSON, examiner)
    with pytest.raises(LabError, match="predict and run lesson 7 first"):
        check_exercise(study, LESSON, EXERCISE, examiner)
    with pytest.raises(LabError, match="predict and run lesson 7 first"):
        answer_checkpoint(study, LESSON, {"again": "first-trace"})
    assert study.progress(LESSON).part == "predict"


def test_predictions_are_whole_and_stand(study):
    with pytest.raises(UsageError, match="traces is not answered"):
        commit_predictions(study, LESSON, {})
    with pytest.raises(UsageError, match="there is no question 'other'"):
        commit_predictions(study, LESSON, {"traces": "1", "other": "2"})
    commit_predictions(study, LESSON, {"traces": "1"})
    with pytest.raises(LabError, match="predictions stand"):
        commit_predictions(study, LESSON, {"traces": "2"})


def test_a_lesson_whose_run_came_first_must_begin_anew(study, examiner, tmp_path):
    commit_predictions(study, LESSON, {"traces": "1"})
    run_lesson(study, LESSON, examiner)
    deeds = [entry.deed for entry in study.journal.entries]
    study.journal.path.unlink()
    other = Study(study.workspace)
    for deed in (deeds[0], deeds[2]):
        other.journal.append(deed)
    with pytest.raises(LabError, match=r"run before it was predicted.*stagelight learn reset 7"):
        commit_predictions(other, LESSON, {"traces": "1"})
    with pytest.raises(LabError, match="run before it was predicted"):
        run_lesson(other, LESSON, examiner)
    reset(other, LESSON, None)
    commit_predictions(other, LESSON, {"traces": "1"})


def test_an_edited_program_is_not_the_one_that_was_predicted(study, examiner):
    commit_predictions(study, LESSON, {"traces": "1"})
    study.open_lesson(LESSON)
    study.program_file(LESSON).write_text("traces = 1")
    with pytest.raises(LabError, match="it was edited"):
        run_lesson(study, LESSON, examiner)


@pytest.mark.parametrize("mutant", EXERCISE.mutants, ids=lambda mutant: mutant.name)
def test_wrong_repairs_are_rejected(check, mutant):
    assert check(mutant.code).kind in ("check-failed", "names-missing", "traces-over-budget")


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        (EXERCISE.starter, "check-failed", "triple(2.0) is not three times 2.0"),
        ("def triple(x:\n    return 3 * x\n", "syntax-error", "triple.py:1 is not Python"),
        ("", "names-missing", "triple.py does not define triple"),
        ("def triple(x): return jnp.sum(x)\ntriple(1)", "raised", "NameError: name 'jnp' is not defined"),
        ("import os\nos._exit(0)", "died", "before it was checked"),
        ("triple = 3", "raised-in-check", "TypeError"),
        ("import sys\nsys.exit(4)", "raised", "SystemExit: 4"),
        (
            "import stagelight.lab.examining as e\ne._checked = lambda *a: None\ndef triple(x): return 1",
            "changed-checker",
            "stagelight.lab.examining._checked",
        ),
        ("def triple(x):\n    raise AssertionError('mine')", "raised-in-check", "AssertionError at triple.py:2: mine"),
    ],
)  # fmt: skip
def test_bad_files_get_an_exact_verdict(check, ready, source, kind, words):
    verdict = check(source)
    assert (verdict.kind, words in verdict.message) == (kind, True), verdict.message
    assert ready.progress(LESSON).part == "repair"


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ("while True: pass", "time-limit", "triple.py did not end in time"),
        ("while True: print('x' * 100_000)", "output-limit", "triple.py printed more than is kept"),
        ("def triple(x):\n    while True: pass", "time-limit", "triple.py did not end in time"),
    ],
)
def test_files_that_never_stop_are_stopped(check, ready, monkeypatch, source, kind, words):
    shortened = functools.partial(requests.repair_request, time_limit_s=1.5)
    monkeypatch.setattr("stagelight.lab.checking.repair_request", shortened)
    verdict = check(source)
    assert (verdict.kind, words in verdict.message) == (kind, True), verdict
    assert check(EXERCISE.solution).kind == "passed"
    assert ready.progress(LESSON).exercises["triple"].attempts == 2


def test_a_file_that_imports_nothing_is_told_so(check):
    assert "imports nothing" in check("def triple(x): return jnp.sum(x)\ntriple(1)").advice


def test_a_file_that_is_no_text(ready, examiner):
    file = ready.exercise_file(LESSON, EXERCISE)
    ready.open_lesson(LESSON)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LabError, match="no text in UTF-8: byte 0"):
        check_exercise(ready, LESSON, EXERCISE, examiner)
    file.write_bytes(b"#" * 1_000_001)
    with pytest.raises(LabError, match="larger than 1000 kB"):
        check_exercise(ready, LESSON, EXERCISE, examiner)


def test_a_file_that_is_gone_is_not_judged_and_comes_back_as_it_was_checked(check, ready, examiner):
    check("mine = 1")
    file = ready.exercise_file(LESSON, EXERCISE)
    file.unlink()
    before = ready.journal.entries
    with pytest.raises(LabError, match=r"triple\.py is gone, so nothing was checked.*stagelight learn reset 7 triple"):
        check_exercise(ready, LESSON, EXERCISE, examiner)
    assert ready.journal.entries == before
    assert file.read_text() == "mine = 1"
    assert check_exercise(ready, LESSON, EXERCISE, examiner).kind == "names-missing"


def test_a_file_that_was_never_checked_comes_back_as_its_starter(ready, examiner):
    file = ready.exercise_file(LESSON, EXERCISE)
    file.unlink()
    with pytest.raises(LabError, match=r"was not there, so nothing was checked\. Its starter was laid"):
        check_exercise(ready, LESSON, EXERCISE, examiner)
    assert file.read_text() == EXERCISE.starter


def test_a_program_that_deletes_its_workspace(check, ready):
    passed = check(EXERCISE.solution)
    assert passed.kind == "passed"
    source = f"import shutil\nshutil.rmtree({str(ready.workspace)!r})\n{EXERCISE.solution}"
    verdict = check(source)
    assert verdict.kind == "deleted-workspace"
    assert ready.exercise_file(LESSON, EXERCISE).read_text() == source
    assert ready.program_file(LESSON).exists()
    assert Study(ready.workspace).progress(LESSON).exercises["triple"].passed


def test_a_program_that_deletes_the_journal_too(check, ready):
    before = ready.journal.entries
    check(f"import shutil\nshutil.rmtree({str(ready.home)!r})\n{EXERCISE.solution}")
    assert Study(ready.workspace).journal.entries[: len(before)] == before


def test_a_folder_that_is_gone_is_found_and_laid_again(ready, monkeypatch):
    monkeypatch.chdir(ready.workspace)
    shutil.rmtree(ready.workspace)
    found = study_of()
    assert found.workspace == ready.workspace
    assert found.restore() == (ready.workspace,)
    assert ready.exercise_file(LESSON, EXERCISE).read_text() == EXERCISE.starter


def test_a_program_that_saves_its_own_file_while_it_is_checked(check, ready, examiner):
    verdict = check(f"open(__file__, 'w').write('x = 1')\n{EXERCISE.solution}")
    assert verdict.kind == "changed-while-checked"
    assert not ready.progress(LESSON).exercises["triple"].passed


def test_a_program_that_changes_the_checkers_files(check, ready, tmp_path, monkeypatch):
    package = tmp_path / "package"
    package.mkdir()
    (package / "lesson.md").write_text("a check")
    monkeypatch.setattr(checker_seal, "PACKAGE", package)
    verdict = check(f"open({str(package / 'lesson.md')!r}, 'w').write('')\n{EXERCISE.solution}")
    assert verdict.kind == "changed-checker"
    assert str(package / "lesson.md") in verdict.message
    assert not ready.progress(LESSON).exercises["triple"].passed


def test_a_checker_in_the_workspace_is_never_read(check, ready):
    for name in ("check.py", "stagelight.py", "07-small.md"):
        (ready.folder(LESSON) / name).write_text("raise SystemExit(0)")
    assert check(EXERCISE.starter).kind == "check-failed"
    assert check(EXERCISE.solution).kind == "passed"


def test_hints_come_one_by_one_and_are_counted(ready):
    assert [next_hint(ready, LESSON, EXERCISE) for _ in range(3)] == [(1, "First."), (2, "Second."), (2, "Second.")]
    assert ready.progress(LESSON).exercises["triple"].hints == 2


def test_the_solution_is_shown_after_passing_or_giving_up(ready, check):
    with pytest.raises(LabError, match="--give-up"):
        solution_of(ready, LESSON, EXERCISE, giving_up=False)
    assert solution_of(ready, LESSON, EXERCISE, giving_up=True) == EXERCISE.solution
    assert ready.progress(LESSON).exercises["triple"].gave_up
    reset(ready, LESSON, EXERCISE)
    check(EXERCISE.solution)
    assert solution_of(ready, LESSON, EXERCISE, giving_up=False) == EXERCISE.solution
    assert not ready.progress(LESSON).exercises["triple"].gave_up


def test_reset_lays_the_starter_and_keeps_what_was_there(ready, check):
    check("mine = 1")
    (file,) = reset(ready, LESSON, EXERCISE)
    assert file.read_text() == EXERCISE.starter
    assert "mine = 1" in [path.read_text() for path in (ready.home / "sources").glob("*.py")]


def test_checkpoint_answers_are_judged_by_what_jax_gave(ready):
    assert answer_checkpoint(ready, LESSON, {"again": "shape-changed"}) == {"again": False}
    assert answer_checkpoint(ready, LESSON, {"again": "first-trace"}) == {"again": True}
