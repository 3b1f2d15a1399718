"""`stagelight learn` as it is typed: command by command, and key by key in a terminal."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from cli.calling import called
from gates.tree import ROOT
from lab.lessons_for_tests import first_lesson, kept_executables

from stagelight.errors import LabError, StagelightError
from stagelight.lab.commands.table import COMMANDS
from stagelight.lab.course import course, stem_of

pexpect = pytest.importorskip("pexpect")

LESSON = first_lesson()
RIGHT = {"lines": "1", "traces": "1", "second": "29", "shape-time": "metadata"}


@pytest.fixture(autouse=True)
def place(tmp_path, tmp_path_factory, monkeypatch) -> Path:
    """An empty folder to stand in."""
    for name, value in kept_executables(tmp_path_factory.getbasetemp()).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("STAGELIGHT_LAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def learn(*words: str) -> str:
    """Output of a command that succeeds."""
    result = called("learn", *words)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def refusal(*words: str) -> str:
    """Message of a command that is refused."""
    result = called("learn", *words)
    assert isinstance(result.exception, StagelightError), result.output
    return str(result.exception)


def exercise_file(place: Path, name: str) -> Path:
    return place / "stagelight-lab" / stem_of(LESSON) / f"{name}.py"


def test_every_command_of_the_table_teaches():
    for name, _ in COMMANDS:
        assert "Usage: " in learn(name, "--help")
    listed = learn("--help")
    assert all(re.search(rf"^  {name} ", listed, re.MULTILINE) for name, _ in COMMANDS)


def test_before_start_each_command_says_how_to_start():
    for words in (("list",), ("check",), ("hint",), ("export", "study.zip"), ("portfolio",)):
        assert "stagelight learn start" in refusal(*words)


def test_a_lesson_command_by_command(place):
    assert "learn predict 1 lines=ANSWER" in learn("start")
    assert "Nothing is traced yet" in learn("show", "1")
    assert "predict first, then run" in refusal("run", "1")
    assert "shape-time is not answered" in refusal("predict", "1", "lines=1", "traces=1", "second=29")
    learn("predict", "1", *(f"{name}={answer}" for name, answer in RIGHT.items()))
    told = learn("run")
    assert "Your predictions: 4 of 4 right" in told
    assert 'vary={"values": [jnp.ones(5), jnp.array([1, 2, 3])]}' in told  # the experiment beside what it showed
    first = exercise_file(place, LESSON.exercises[0].name).relative_to(place)
    assert f"Repair {first}; its task: stagelight learn show 1\nThen: stagelight learn check 1" in told
    failed = called("learn", "check")
    assert (failed.exit_code, "check-failed" in failed.output) == (1, True)
    assert f"Mend {first} and check again. For a hint: stagelight learn hint 1 report-each-call" in failed.output
    assert "Hint 1 of 3" in learn("hint")
    assert "--give-up" in refusal("solution")
    for exercise in LESSON.exercises:
        exercise_file(place, exercise.name).write_text(exercise.solution)
        assert "passed" in learn("check")
    assert "third-call: After the run" in learn("answer", "1")
    assert "Answer with: stagelight learn answer 1 third-call=ANSWER" in learn("answer", "1")
    assert "Checkpoint: 1 of 2 right" in learn("answer", "1", "third-call=0", "new-shape=dtype-changed")
    receipt = learn("receipt", "1", "--explanation", "tracing decides").strip()
    assert "every hash holds and everything ran again" in learn("verify", receipt)
    assert "1 of " in learn("list")
    assert "Wrote portfolio.html" in learn("portfolio")
    assert "tracing decides" in (place / "portfolio.html").read_text()
    assert "1 receipt" in learn("export", "study.zip")
    assert "is another one" in _verdict_on_a_changed(Path(receipt))


def _verdict_on_a_changed(receipt: Path) -> str:
    changed = receipt.with_name("changed.json")
    changed.write_text(receipt.read_text().replace("tracing decides", "tracing divides"))
    result = called("learn", "verify", "--no-run", str(changed))
    assert result.exit_code == 1
    assert "explanation: the field was changed" in result.output
    return result.output


def test_wrong_usage_is_answered(place):
    learn("start")
    assert "no lesson is called 'ninety'" in refusal("show", "ninety")
    assert "has no exercise 'none'" in refusal("check", "1", "none")
    assert "write ID=ANSWER" in refusal("predict", "1", "1")
    assert "lines is answered twice" in refusal("predict", "1", "lines=1", "lines=2")
    assert "there is no project 'none'" in refusal("project", "none")
    assert "name lessons, or give --all" in refusal("attest")
    assert "there is no receipt yet" in refusal("portfolio")
    (place / "file").write_text("")
    assert "is a file" in refusal("start", "file")
    (place / "full").mkdir()
    (place / "full" / "thesis.tex").write_text("")
    assert "holds other files" in refusal("start", "full")


def test_words_are_no_answer_to_how_many():
    learn("start")
    refused = refusal("predict", "2", "inputs=two", "inputs-static=1", "equations=3", "rows=metadata")
    assert refused == "'two' is no answer to inputs: type a whole number"


def test_a_workspace_whose_journal_is_elsewhere_is_adopted(place, tmp_path, monkeypatch):
    learn("start")
    mine = exercise_file(place, LESSON.exercises[0].name)
    mine.parent.mkdir()
    mine.write_text("mine = 1")
    monkeypatch.setenv("STAGELIGHT_LAB_HOME", str(tmp_path / "other"))
    monkeypatch.chdir(place / "stagelight-lab")
    assert f"Begin anew there, with your files as they are: stagelight learn start {Path.cwd()}" in refusal("list")
    started = learn("start")
    assert "It was laid before, and its journal is not in" in started
    assert f"The workspace is {place / 'stagelight-lab'}." in started
    assert mine.read_text() == "mine = 1"
    assert "0 of " in learn("list")
    assert "It was laid before" not in learn("start")


def test_predict_and_answer_without_answers_say_what_is_asked():
    learn("start")
    asked = learn("predict", "1")
    assert "traces: How often is `sum_squares` traced?\n  a whole number\n" in asked
    assert "Answer with: stagelight learn predict 1 lines=ANSWER traces=ANSWER" in asked
    assert "Then: stagelight learn predict 1 lines=ANSWER" in learn()  # nothing was committed by asking


def test_go_names_the_next_step_of_its_lesson():
    learn("start")
    assert "Read it with: stagelight learn show 3" in learn("go", "3")


def test_a_project_can_be_read_and_its_hints_too():
    shown = learn("show", "transforms-audit")
    assert all(f"Stage {number}: " in shown for number in (1, 2, 3, 4))
    assert "stagelight learn project transforms-audit --stage 3 --hint 1" in shown
    assert "Hint 2 of 3: `in_axes=" in learn("project", "transforms-audit", "--stage", "1", "--hint", "2")
    assert "stage 1 has 3 hints" in refusal("project", "transforms-audit", "--stage", "1", "--hint", "4")
    assert "name it with --stage N" in refusal("project", "transforms-audit", "--hint", "1")


def test_a_project_says_which_program_it_judges(place):
    judged = called("learn", "project", "transforms-audit", "--stage", "1").output
    assert judged.startswith("Checking the starter. To check your own: stagelight learn project transforms-audit")
    (place / "audit.py").write_text("import jax")
    judged = called("learn", "project", "transforms-audit", "--stage", "1", "--implementation", "audit.py").output
    assert judged.startswith("Checking audit.py.\n")


def test_start_lays_again_what_was_deleted(place):
    import shutil

    learn("start")
    learn("predict", "1", *(f"{name}={answer}" for name, answer in RIGHT.items()))
    shutil.rmtree(place / "stagelight-lab")
    started = learn("start")
    assert "stagelight-lab was gone. It was laid again as checked last; your progress is kept." in started
    assert "learn run 1" in started
    assert exercise_file(place, LESSON.exercises[0].name).read_text() == LESSON.exercises[0].starter


def test_a_journal_that_was_edited_is_refused(place, tmp_path):
    learn("start")
    (journal,) = (tmp_path / "home").glob("*/journal.jsonl")
    journal.write_text(journal.read_text().replace('"stagelight":"', '"stagelight":"9'))
    assert "journal.jsonl:1 was changed" in refusal("list")


def test_notebooks_and_python_files_are_written(place):
    assert f"{stem_of(LESSON)}.ipynb" in learn("notebook", "1")
    assert "exists. Replace it with --force" in refusal("notebook", "1")
    assert f"{stem_of(LESSON)}.py" in learn("notebook", "1", "--python", "-o", "programs")
    assert learn("notebook", "transforms-audit") == "Wrote transforms-audit.ipynb.\n"
    assert learn("notebook", "transforms-audit", "--python") == "Wrote transforms-audit.py.\n"
    assert "no lesson is called 'none'" in refusal("notebook", "none")
    learn("notebook", "-o", "all")
    assert {path.name for path in (place / "all").iterdir()} == {
        *(f"{stem_of(lesson)}.ipynb" for lesson in course()), "transforms-audit.ipynb"
    }  # fmt: skip


def test_compare_holds_this_run_against_the_recorded_one():
    assert "the same" in learn("compare", "1")


def hear_ctrl_c():
    """A test run in the background has Ctrl-C ignored, and hands that on to what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def terminal_at(place):
    """The command in a terminal of its own, and a way to read on until some words come."""
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), TERM="xterm", JAX_PLATFORMS="cpu")
    return pexpect.spawn(
        sys.executable, ["-m", "stagelight", "learn", "start"], env=environment, dimensions=(50, 100), encoding="utf-8",
        timeout=60, cwd=str(place), preexec_fn=hear_ctrl_c,
    )  # fmt: skip


def interrupt(terminal, then):
    """Press Ctrl-C until it is heard: one that comes just before Python reads a line waits for the line's end."""
    for _ in range(6):
        terminal.sendintr()
        if terminal.expect([then, pexpect.TIMEOUT], timeout=10) == 0:
            return
    pytest.fail(f"Ctrl-C was not heard: {terminal.before}")


@pytest.fixture
def terminal(place):
    child = terminal_at(place)
    yield child
    child.close(force=True)


def test_a_lesson_key_by_key(terminal, place):
    for name, answer in RIGHT.items():
        terminal.expect_exact(f"{name} > ")
        terminal.sendline(answer)
    for _ in LESSON.build:
        terminal.expect_exact("Enter appends")
        terminal.sendline()
    terminal.expect_exact("4 of 4 right")
    terminal.expect_exact("Enter goes on")
    terminal.sendline()
    first, *others = LESSON.exercises
    terminal.expect_exact("check-failed")
    terminal.expect_exact("q quit")
    terminal.send("h")
    terminal.expect_exact("Hint 1 of 3")
    terminal.send("l")
    terminal.expect_exact("Workspace")
    terminal.send("s")
    terminal.expect_exact("Press s once more to give up")
    terminal.send("l")
    exercise_file(place, first.name).write_text("def report(:")
    terminal.expect_exact("syntax-error")
    terminal.expect_exact("q quit")
    terminal.send("r")
    terminal.expect_exact("check-failed")
    for exercise in (first, *others):
        exercise_file(place, exercise.name).write_text(exercise.solution)
        terminal.expect_exact("Passed. n goes on")
        terminal.expect_exact("q quit")
        terminal.send("n")
    for answer in ("0", "?"):
        terminal.expect_exact(" > ")
        terminal.sendline(answer)
    terminal.expect_exact("function-recreated")
    terminal.expect_exact("new-shape > ")
    terminal.sendline("shape-changed")
    terminal.expect_exact("In your own words")
    terminal.sendline("one trace a key")
    terminal.expect_exact("Its receipt: ")
    terminal.sendcontrol("d")
    terminal.expect(pexpect.EOF)
    assert (place / "stagelight-lab" / "receipts" / f"{stem_of(LESSON)}.json").exists()


def test_giving_up_is_recorded(terminal, place):
    for name, answer in RIGHT.items():
        terminal.expect_exact(f"{name} > ")
        terminal.sendline(answer)
    for _ in range(len(LESSON.build) + 1):
        terminal.expect_exact("Enter ")
        terminal.sendline()
    terminal.expect_exact("q quit")
    terminal.send("ss")
    terminal.expect_exact("jax.debug.print")
    terminal.send("q")
    terminal.expect(pexpect.EOF)
    assert "gave up 1" in learn("list")


def test_ctrl_c_leaves_as_other_programs_do_and_the_build_begins_again(terminal, place):
    for name, answer in RIGHT.items():
        terminal.expect_exact(f"{name} > ")
        terminal.sendline(answer)
    terminal.expect_exact("Enter appends")
    terminal.sendline()
    terminal.expect_exact("step 2")
    terminal.expect(r"Enter appends it to .*program.py: ")
    interrupt(terminal, "Stopped. What you did is kept; go on with: stagelight learn")
    terminal.expect(pexpect.EOF)
    assert "Traceback" not in terminal.before
    terminal.close()
    assert (terminal.exitstatus, terminal.signalstatus) == (130, None)
    again = terminal_at(place)
    again.expect_exact("step 1")
    again.expect_exact("Enter appends")
    again.sendcontrol("d")
    again.expect(pexpect.EOF)
    again.close()
    assert again.exitstatus == 0


def test_what_was_gone_can_be_read_before_the_screen_is_cleared(place):
    learn("start")
    (place / "stagelight-lab" / "README.md").unlink()
    (place / "stagelight-lab").rmdir()
    child = terminal_at(place)
    child.expect_exact("stagelight-lab was gone. It was laid again as checked last")
    child.expect_exact("Enter goes on: ")
    child.sendline()
    child.expect_exact("lines > ")
    child.close(force=True)


def test_a_watched_file_that_goes_is_missed(terminal, place):
    for name, answer in RIGHT.items():
        terminal.expect_exact(f"{name} > ")
        terminal.sendline(answer)
    for _ in range(len(LESSON.build) + 1):
        terminal.expect_exact("Enter ")
        terminal.sendline()
    terminal.expect_exact("q quit")
    file = exercise_file(place, LESSON.exercises[0].name)
    file.unlink()
    terminal.expect_exact("is gone. Save it again, or press Enter")
    terminal.sendline()
    terminal.expect_exact("so nothing was checked. It was laid again as it was")
    terminal.expect_exact("q quit")
    assert file.read_text() == LESSON.exercises[0].starter
    interrupt(terminal, pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130


def test_an_error_is_a_line_not_a_traceback(place):
    assert isinstance(called("learn", "list").exception, LabError)
