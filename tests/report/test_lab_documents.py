"""What the lab shows: prose, verdicts, progress, portfolio and figures, as documents and pictures."""

import xml.etree.ElementTree as ElementTree

import pytest

from stagelight.model.attribution import Cause
from stagelight.model.binding_time import BindingTime
from stagelight.model.examination import FunctionCounts, Surroundings, Verdict
from stagelight.model.explanation import ExplainedFunction, Explanation, LabelledSpan
from stagelight.model.finding import Span
from stagelight.model.lesson import Question, Step
from stagelight.model.project import Project, Stage
from stagelight.model.receipt import JournalPlace, Judged, Receipt, Repaired, SealedReceipt
from stagelight.report.document import Bullets, Document, Paragraph, Source, Table
from stagelight.report.html import document_html
from stagelight.report.lesson_document import judged_document, noted_document
from stagelight.report.lesson_figures import binding_times_figure, calls_figure
from stagelight.report.portfolio_document import portfolio_document
from stagelight.report.progress_document import LessonRow, progress_document
from stagelight.report.project_document import project_document
from stagelight.report.prose import prose_blocks
from stagelight.report.terminal import terminal_text
from stagelight.report.verdict_document import counts_table, verdict_document

COUNTS = FunctionCounts(
    name="step", traces=2, compiles=2, calls=40, causes=((Cause(slug="first-trace"),), (Cause(slug="shape-changed"),))
)
WRONG = Judged(id="q", question="How often is `step` traced?", answer="1", observed="2", agrees=False)
RIGHT = Judged(id="r", question="Why?", answer='"shape-changed"', observed='"shape-changed"', agrees=True)


def test_a_project_is_read_stage_by_stage():
    stage = Stage(number=2, title="Both", task="Do `it`.", fails="check-failed", check="", hints=("One.", "Two."))
    project = Project(
        name="audit", title="Audit", minutes=9, hardware="any", rows=(), digest="", problem="Why.", starter="",
        solution="", stages=(stage,),
    )  # fmt: skip
    said = terminal_text(project_document(project))
    for text in ("Project: Audit", "9 minutes", "Why.", "Stage 2: Both", "Do it.", "2 hints: ", "--stage 2 --hint 1"):
        assert text in said


def test_a_step_is_shown_with_its_note_and_its_place():
    said = terminal_text(noted_document(Step(note="A `note`.", code="x = 1\n"), 31))
    assert said.index("A note.") < said.index("31  x = 1")


def test_prose_keeps_its_blocks_apart():
    text = (
        "One\nline.\n\n- a `b`\n- c\n  d\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n\ny = 2\n```\nAfter."
    )
    blocks = prose_blocks(text)
    assert [type(block) for block in blocks] == [Paragraph, Bullets, Table, Source, Paragraph]
    said = terminal_text(Document(title="", blocks=blocks))
    for line in ("One line.", "- a b", "- c d", "y = 2", "After."):
        assert line in said


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**bold** and *soft*", "bold and soft"),
        ("[a page](x.md)", "a page"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("`a*b*c`", "a*b*c"),
    ],
)
def test_inline_markdown(markdown, shown):
    assert terminal_text(Document(title="", blocks=prose_blocks(markdown))).strip() == shown


def test_a_verdict_says_what_was_seen_and_what_to_do():
    verdict = Verdict(
        kind="raised", message="f.py:1 raised it\n  x", advice="Do that.", output="\n".join("abcdefghijklmn")
    )
    said = terminal_text(verdict_document(verdict, "f.py"))
    assert "f.py  raised" in said
    assert "to do    Do that." in said
    assert "(2 lines before these)" in said
    assert "printed" not in terminal_text(verdict_document(Verdict(kind="passed", output="x"), "f.py"))


def test_judged_answers_stand_side_by_side_with_a_reason():
    questions = (Question(id="q", question="", kind="traces", observed="", why="Two shapes."),)
    said = terminal_text(judged_document("Your predictions", (WRONG, RIGHT), questions))
    assert "Your predictions: 1 of 2 right" in said
    assert "not so" in said
    assert "Two shapes." in said


def test_counts_and_causes():
    said = terminal_text(Document(title="", blocks=(counts_table((COUNTS,)),)))
    assert "step         40       2         2  first-trace, shape-changed" in said


def test_progress_shows_where_one_is():
    rows = tuple(
        LessonRow(number=n, name=str(n), title=f"Lesson {n}", level="practice", minutes=9, state=state, repairs=(n, 3))
        for n, state in ((1, "done"), (2, "now"), (3, "open"))
    )
    said = terminal_text(progress_document(rows, "/place"))
    assert "1 of 3 lessons done" in said
    assert [line.split()[-1] for line in said.splitlines() if "Lesson " in line] == ["done", "here", "open"]


def a_receipt(explanation: str) -> SealedReceipt:
    repaired = Repaired(
        name="repair", level="practice", exercise_digest="", source="x = 1\n", source_digest="", verdict="passed",
        functions=(COUNTS,), attempts=2, hints=1, gave_up=True,
    )  # fmt: skip
    receipt = Receipt(
        schema=1, lesson="small", lesson_digest="", recorded_at="2026", command="stagelight learn verify r.json",
        surroundings=Surroundings(jax="0.12", backend="cpu", devices=("cpu",)), source="y = 2\n", source_digest="",
        output="printed\n", functions=(COUNTS,), ledger_digest="", predictions=(WRONG,), explanation=explanation,
        repairs=(repaired,), checkpoints=(RIGHT,), result="passed after giving up",
        journal=JournalPlace(predicted="", ran="", last="", entries=3),
    )  # fmt: skip
    return SealedReceipt(receipt=receipt, hashes={}, digest="0123456789abcdef0123")


def test_the_portfolio_holds_everything_and_escapes_it():
    page = document_html(portfolio_document([a_receipt("<script>alert(1)</script>")], {"small": "Small & fine"}))
    assert "<script>alert" not in page
    for text in (
        "Small &amp; fine",
        "0 of 1",
        "passed after giving up",
        "solution seen before it passed",
        "0123456789ab",
    ):
        assert text in page


def test_bars_have_the_length_of_their_numbers():
    svg = ElementTree.fromstring(calls_figure([COUNTS], "Calls <against> traces"))
    space = "{http://www.w3.org/2000/svg}"
    assert svg.findtext(f"{space}title") == "Calls <against> traces"
    calls, traces = (float(bar.attrib["width"]) for bar in svg.findall(f"{space}rect"))
    assert traces == pytest.approx(calls * 2 / 40)
    assert [text.text for text in svg.findall(f"{space}text")] == ["step", "40 calls", "2 traces"]


def test_source_is_coloured_by_binding_time():
    span = LabelledSpan(span=Span(line=2, column=12, end_line=2, end_column=13), time=BindingTime.DATA)
    function = ExplainedFunction(
        function="f", file="f.py", first_line=1, lines=("def f(x):", "    return x < 1"), spans=(span,)
    )
    figure = binding_times_figure(
        Explanation(function="f", call="f(x)", jax_version="", functions=(function,)), "Known when"
    )
    texts = [text.text for text in ElementTree.fromstring(figure).iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["def f(x):", "return", "x", "< 1", "data"]
