"""Two specializations side by side, as a page."""

from stagelight.model.explanation_difference import ExplanationDifference, LineDifference
from stagelight.report.difference_document import difference_document
from stagelight.report.html import document_html
from stagelight.report.markdown import markdown_text

LINE = LineDifference(
    file="model.py",
    line=8,
    text="    if mode == '<sum>':",
    before=("reduce_sum f32[]",),
    after=(),
    labels=(("x.sum()", "data f32[]", "did not run"),),
)
DIFFERENCE = ExplanationDifference(
    before="f(x, mode='sum')",
    after="f(x, mode='mean')",
    static=(("mode", "'sum'", "'mean'"),),
    lines=(LINE,),
    equations=(3, 5),
)


def test_the_page_holds_calls_static_values_lines_and_equations():
    page = document_html(difference_document(DIFFERENCE))
    assert page.startswith("<!doctype html>")
    for part in ("f(x, mode=&#39;mean&#39;)", "5 equations", "reduce_sum f32[]", "no equation", "did not run"):
        assert part in page
    assert "&lt;sum&gt;" in page
    assert "<sum>" not in page


def test_a_row_for_the_line_and_one_for_each_expression():
    text = markdown_text(difference_document(DIFFERENCE))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 2


def test_nothing_that_differs_is_said():
    same = ExplanationDifference(before="f(x)", after="f(x)")
    assert "the same equations" in document_html(difference_document(same))
