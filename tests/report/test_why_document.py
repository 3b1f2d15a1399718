"""What ``why`` says of a training run."""

import pytest
from report.accounts import (
    ADD,
    evaluate,
    failure,
    group,
    ledger,
    library_update,
    train_step,
    training_account,
)

from stagelight.model.attribution import Cause, FunctionTotals
from stagelight.report.account import Example, FunctionAccount
from stagelight.report.run_summary import summary_of
from stagelight.report.selection import Selection
from stagelight.report.terminal import terminal_text
from stagelight.report.why_document import Limits, why_document, without_match


def _said(account=None, width: int = 100, **selection: object) -> str:
    return terminal_text(why_document(account or training_account(), Selection(**selection)), width=width)


def test_the_first_sentence_is_avoidable_seconds_of_all():
    first = " ".join(_said().split("\n\n")[0].split())
    assert first == (
        "3.65 s avoidable of 5.67 s spent tracing, lowering and compiling (64 %), in a run of 31.2 s; "
        "41.0 ms inside Stagelight."
    )


def test_each_change_stands_with_its_path_call_site_and_way_out():
    text = _said()
    section = text[text.index("shape-changed") : text.index("host-array-argument")]
    assert "1 trace, 1 compile   1.18 s" in section
    assert "batch['image']  f32[32,64] → f32[5,64]" in section
    assert "batch['label']  i32[32] → i32[5]" in section
    assert "from            train.py:96 in main" in section
    assert "fix             Drop or pad" in section


def test_several_causes_of_one_miss_are_all_named():
    both = group(
        Cause(slug="shape-changed", path="x", before="f32[3]", after="f32[4]"),
        Cause(slug="weak-type-changed", path="y", before="~f32[]", after="f32[]"),
    )
    step = train_step()
    account = training_account(functions=(FunctionAccount(function=step.function, totals=step.totals, groups=(both,)),))
    text = _said(account)
    assert "shape-changed weak-type-changed" in text
    assert "x     f32[3] → f32[4]" in text
    assert "y     ~f32[] → f32[]" in text


def test_expected_misses_and_library_functions_are_folded_and_counted():
    text = " ".join(_said().split())
    assert "first-trace" not in text
    assert "update" not in text
    assert (
        "Folded: 1 function with only expected misses, 1 library function or eager operation (100 ms avoidable)" in text
    )


def test_all_shows_what_was_folded():
    text = _said(everything=True)
    assert "first-trace" in text
    assert "update  optax/_src/transform.py:210" in text
    assert "Folded" not in text


def test_a_function_that_was_named_is_shown_though_it_is_a_librarys():
    text = _said(functions=("update",))
    assert "static-value-changed" in text
    assert "train_step" not in text


def test_a_cause_that_was_named_is_shown_though_it_is_expected():
    text = _said(causes=("first-trace",))
    assert "first-trace" in text
    assert "shape-changed" not in text


@pytest.mark.parametrize("pattern", ["train.py", "*train*", "/home/ada/digits/train.py"])
def test_a_file_can_be_named_by_its_end_or_a_pattern(pattern):
    assert "train_step" in _said(files=(pattern,))
    assert "No function" in terminal_text(without_match(training_account(), Selection(files=("other.py",))))


def test_a_name_that_matches_nothing_says_which_there_are():
    text = terminal_text(without_match(training_account(), Selection(functions=("trainstep",))))
    assert text.startswith("No function matches. Traced here: train_step loss")
    assert without_match(training_account(), Selection(functions=("train_*",))) is None


def test_a_failure_that_ended_the_program_stands_before_the_functions():
    text = _said(training_account(failures=(failure(handled=False),)))
    assert text.index("What ended the program") < text.index("138 calls, 3 traces")
    assert "accuracy > 0.9" in text
    assert "ended the program" in text


def test_a_handled_failure_stands_after_them():
    text = _said()
    assert text.index("Errors that the program handled") > text.index("138 calls, 3 traces")
    assert "traced-condition" in text


def test_blind_spots_are_said():
    text = _said(training_account(ledgers=(ledger(jit_disabled=True, ended=False, problems=("hook: KeyError",)),)))
    for part in ("jax_disable_jit", "compiled ahead of time", "has no end", "hook: KeyError"):
        assert part in text


def test_a_killed_session_is_noted():
    assert "the program was killed, or still runs" in _said(training_account(ledgers=(ledger(ended=False),)))


def test_many_different_changes_are_cut_with_a_count():
    causes = [Cause(slug="shape-changed", path="x", before=f"f32[{n}]", after=f"f32[{n + 1}]") for n in range(8)]
    examples = tuple(Example(causes=(cause,), seconds=0.1, call=group(cause).sites[0][0]) for cause in causes)
    many = group(causes[0], misses=500, examples=examples, examples_folded=492)
    step = train_step()
    text = _said(
        training_account(functions=(FunctionAccount(function=step.function, totals=step.totals, groups=(many,)),))
    )
    assert "f32[2] → f32[3]" in text
    assert "f32[3] → f32[4]" not in text
    assert "and 497 more" in text


def test_groups_beyond_the_limit_are_folded_with_the_command_that_lists_them():
    document = why_document(training_account(), limits=Limits(groups=1))
    assert "stagelight why digits.jsonl --function train_step --all" in terminal_text(document)


def test_nothing_traced_is_said_so():
    account = training_account(functions=(), advisories=(), failures=(), lanes=())
    assert "Nothing was traced. JAX was imported" in _said(account)


def test_nothing_avoidable_is_good_news():
    add = FunctionAccount(
        function=ADD,
        totals=FunctionTotals(function=ADD, traces=1, trace_s=0.25),
        groups=(group(Cause(slug="first-trace"), avoidable=False),),
    )
    assert _said(training_account(functions=(add,))).startswith("Nothing avoidable. 250 ms")


def test_the_summary_of_a_run_ends_with_the_commands_that_open_it_again():
    text = terminal_text(summary_of(training_account()), width=80)
    assert text.endswith(
        "All of it:\n  stagelight why digits.jsonl\n\nAs a page:\n  stagelight report digits.jsonl -o report.html\n"
    )
    assert text.index("train_step") < text.index("epoch.loss") < text.index("evaluate")


def test_it_says_where_to_read_more():
    assert "  stagelight rule weak-type-changed\n" in _said()


def test_a_ledger_whose_name_needs_quotes_is_quoted():
    text = terminal_text(summary_of(training_account(ledgers=(ledger("my run's.jsonl"),))))
    assert """stagelight why 'my run'"'"'s.jsonl'""" in text


def test_many_ledgers_of_one_folder_are_named_by_it():
    ledgers = tuple(ledger(f"runs/host-{n}.jsonl") for n in range(8))
    text = terminal_text(summary_of(training_account(ledgers=ledgers)))
    assert "stagelight why runs\n" in text


def test_functions_are_in_order_of_cost_and_libraries_last():
    account = training_account(functions=(train_step(), evaluate(), library_update()))
    text = _said(account, everything=True)
    assert text.index("train_step") < text.index("evaluate") < text.index("update")
