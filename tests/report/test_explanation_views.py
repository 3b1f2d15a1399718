"""An explanation as text, page and lines, from records alone: no JAX is needed."""

import io

import pytest

import stagelight
from stagelight.model.binding_time import BindingTime
from stagelight.model.event import Failure
from stagelight.model.explanation import (
    Effect,
    ExplainedFunction,
    Explanation,
    HelperCall,
    LabelledSpan,
    SourceEquation,
    TraceFailure,
)
from stagelight.model.finding import Span
from stagelight.model.repair import ConditionDriven, Coverage, Refused, Repair, RepairReport
from stagelight.model.site import Site
from stagelight.report.explanation_comparison import explanation_difference
from stagelight.report.explanation_lines import explained_lines, label_text
from stagelight.report.explanation_page import explanation_html
from stagelight.report.explanation_terminal import write_explanation
from stagelight.report.repair_terminal import write_repairs


def label(line, column, end, time, **options):
    return LabelledSpan(span=Span(line=line, column=column, end_line=line, end_column=end), time=time, **options)


X = label(2, 12, 13, BindingTime.DATA, aval="f32[3]", origins=("x",))
WHOLE = label(2, 12, 17, BindingTime.DATA, aval="f32[3]", evaluations=3)
RATE = label(2, 16, 17, BindingTime.CONSTANT, is_captured=True, crosses=True)
ENTRY = ExplainedFunction(
    function="scaled",
    file="model.py",
    first_line=1,
    lines=("def scaled(x):", "    return x * R", "# <script>alert(1)</script> \u202e"),
    spans=(WHOLE, X, RATE),
    equations=(SourceEquation(line=2, primitive="mul", outputs=("f32[3]",), count=3),),
    effects=(Effect(span=Span(line=1, column=1, end_line=1, end_column=2), text="print"),),
    calls=(HelperCall(span=Span(line=2, column=12, end_line=2, end_column=17), functions=(1,)),),
)
HELPER = ExplainedFunction(function="helper", file="model.py", first_line=9, lines=("def helper(v): return v",))
FAILURE = TraceFailure(
    failure=Failure(
        slug="traced-condition",
        error="TracerBoolConversionError",
        message="Attempted boolean conversion",
        site=Site("model.py", 2, "scaled"),
        column=12,
        expression="x * R",
        arguments=("x",),
    ),
    span=Span(line=2, column=12, end_line=2, end_column=17),
    operands=(("x", "f32[3]"),),
    reason="Python chooses.",
    ways_out=("use jnp.where",),
)
REPORT = RepairReport(
    function="f",
    file="model.py",
    call="f(f32[3])",
    slug="traced-condition",
    line=2,
    expression="x > 0",
    offered=(
        Repair(
            kind="where",
            title="choose",
            edits=(),
            diff="--- a\n+++ b\n-old\n+new\n",
            coverage=Coverage(
                inputs=64,
                gradients=16,
                traces=1,
                signatures=2,
                tests=(ConditionDriven(line=2, text="x > 0", true=30, false=34),),
            ),
            cautions=("read it",),
        ),
    ),
    refused=(Refused(kind="static", reason="x is an array"),),
)
EXPLANATION = Explanation(
    function="scaled",
    call="scaled(f32[3])",
    jax_version="0.12",
    functions=(ENTRY, HELPER),
    jaxpr="{ lambda ; a. let in () }",
    constants=(("f32[1000]", 4000),),
    failure=FAILURE,
)


def text_of(explanation, **options):
    stream = io.StringIO()
    write_explanation(explanation, stream, **options)
    return stream.getvalue()


def test_an_inner_expression_covers_the_outer_one():
    runs = explained_lines(EXPLANATION, 0)[1].runs
    assert [(run.text, run.label) for run in runs] == [("    return ", None), ("x", X), (" * ", WHOLE), ("R", RATE)]


@pytest.mark.parametrize(
    "expected",
    [
        "return x * R   # 3× mul f32[3]",
        "│            D D A",
        "^^^^^ fails here",
        "└ helper",
        "! print ran while tracing",
        "flows from x",
        "- use jnp.where",
        "captured f32[1000], 4,000 bytes baked in",
        "stagelight rule traced-condition",
    ],
)
def test_text(expected):
    assert expected in text_of(EXPLANATION)


def test_boundary_only_hides_the_rest():
    text = text_of(EXPLANATION, only_boundary=True)
    assert "return x * R" in text
    assert "<script>" not in text
    assert "⋯ 1 line" in text


def test_the_page_escapes_source_and_opens_helpers_in_place():
    page = explanation_html(EXPLANATION)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\u202e" not in page
    assert "<summary>helper</summary>" in page
    assert 'class="captured crosses" title="captured array, baked in"' in page
    assert "script-src" not in page
    assert "<script" not in page


def test_a_label_in_words():
    assert label_text(WHOLE) == "data f32[3] evaluated 3 times"
    assert label_text(X) == "data f32[3] from x"


def test_a_difference_names_lines_labels_and_equations():
    other = Explanation(
        function="scaled",
        call="scaled(f32[4])",
        jax_version="0.12",
        functions=(
            ExplainedFunction(
                function="scaled",
                file="model.py",
                first_line=1,
                lines=ENTRY.lines,
                spans=(label(2, 12, 13, BindingTime.DATA, aval="f32[4]"),),
            ),
        ),
        static=(("n", "4"),),
    )
    difference = explanation_difference(EXPLANATION, other)
    assert difference.static == (("n", "not static", "4"),)
    (line,) = difference.lines
    assert (line.line, line.before, line.after) == (2, ("3× mul f32[3]",), ())
    assert ("x", "data f32[3]", "data f32[4]") in line.labels
    assert difference.equations == (3, 0)


def test_show_takes_explanations_and_repairs():
    stream = io.StringIO()
    stagelight.show(EXPLANATION, file=stream)
    assert "fails here" in stream.getvalue()
    stream = io.StringIO()
    stagelight.show(EXPLANATION, format="markdown", file=stream)
    assert "use jnp.where" in stream.getvalue()
    stream = io.StringIO()
    stagelight.show(REPORT, file=stream)
    assert "x is an array" in stream.getvalue()


def test_repairs_say_what_was_compared():
    stream = io.StringIO()
    write_repairs(REPORT, stream)
    text = stream.getvalue()
    assert "1. where  choose" in text
    assert "both sides agreed on 64 inputs, and in gradient on 16 of them; traced 1 time for 2 signatures" in text
    assert "`x > 0` was true 30 times and false 34 times" in text
    assert "caution: read it" in text
    assert "refused static: x is an array" in text
