"""Markdown and annotations: the same facts, in which nothing of a ledger can act."""

import pytest
from markdown_it import MarkdownIt
from report.accounts import failure, group, train_step, training_account

from stagelight.model.attribution import Cause
from stagelight.report.account import FunctionAccount
from stagelight.report.document import Cell, Code, Column, Command, Document, Fold, Paragraph, Source, Table, Text
from stagelight.report.github import github_lines
from stagelight.report.markdown import markdown_text
from stagelight.report.selection import Selection
from stagelight.report.why_document import why_document

HOSTILE = ["<script>x</script>", "`` ``` ````", "| a | b", "](http://a.b)", "**x**", "\n# h", "@jax", "#1", "a\x1b[31m"]


def _html(document: Document) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown_text(document))


def test_the_markdown_of_a_run_has_its_table_and_its_changes():
    html = _html(why_document(training_account()))
    assert "<td><code>train_step</code></td>" in html
    assert "<code>f32[32,64]</code> → <code>f32[5,64]</code>" in html
    assert "<h4><code>shape-changed</code>" in html


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_ledger_is_never_markup(text):
    cell = Cell((Code(text), Text(text)))
    blocks = (
        Paragraph((Text(text), Code(text))),
        Table((Column("c"),), ((cell,),)),
        Command(text),
        Source("f.py", 1, (text,)),
        Fold((Text(text),), (Paragraph((Text(text),)),)),
    )
    html = _html(Document("t", blocks))
    for tag in ("<script", "<a ", "<strong", "<h2"):
        assert tag not in html
    assert html.count("<h1>") == 1
    assert html.count("<td>") == 1
    assert "\x1b" not in html


@pytest.mark.parametrize("text", ["a`*b*`c", "``", "`x", "x`", "a```b"])
def test_code_is_fenced_by_more_backticks_than_it_holds(text):
    html = _html(Document("t", (Paragraph((Code(text),)),)))
    assert f"<p><code>{text}</code></p>" in html


def test_annotations_stand_at_the_line_that_made_the_miss():
    lines = list(github_lines(training_account(), Selection()))
    shape = next(line for line in lines if "title=shape-changed" in line)
    assert shape.startswith("::warning file=train.py,line=96,title=shape-changed::train_step: 1 trace")
    assert "batch['image'] f32[32,64] → f32[5,64]; batch['label'] i32[32] → i32[5]" in shape
    assert all("update" not in line for line in lines)


def test_files_are_named_relative_to_the_checkout():
    lines = list(github_lines(training_account(), Selection(), root="/home/ada"))
    assert "file=digits/train.py," in lines[0]


def test_a_failure_that_ended_the_program_is_an_error_with_its_column():
    lines = list(github_lines(training_account(failures=(failure(handled=False),)), Selection()))
    assert lines[0].startswith("::error file=train.py,line=83,col=8,title=traced-condition::TracerBoolConversionError")
    assert not any(line.startswith("::error") for line in github_lines(training_account(), Selection()))


def test_an_annotation_cannot_be_left():
    cause = Cause(slug="shape-changed", path="x\n::error::y", before="100%25", after="a\r::stop-commands::z")
    step = train_step()
    account = training_account(
        functions=(FunctionAccount(function=step.function, totals=step.totals, groups=(group(cause),)),)
    )
    lines = "\n".join(github_lines(account, Selection(functions=("train_step",)))).split("\n")
    assert all(line.startswith(("::warning ", "::notice ")) for line in lines)
    assert "100%2525" in lines[0]
