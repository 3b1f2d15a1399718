"""The page as text: one file, a policy that lets nothing in, and ledgers that try to get out of their place."""

import base64
import hashlib
import html.parser
import json
import re

import pytest
from report.accounts import (
    FOLDER,
    group,
    ledger,
    train_step,
    training_account,
)

from stagelight.model.attribution import Cause, FunctionTotals, Specialization
from stagelight.model.function import Function
from stagelight.report import html as page_module
from stagelight.report.account import FunctionAccount, SpecializationSeen
from stagelight.report.document import Document, Fold, Lane, Paragraph, Source, Span, Text
from stagelight.report.html import document_fragment, document_html, page_html
from stagelight.report.page_document import Budget, page_document

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"\x1b[31m\u202e&lt;{{7*7}}"


class Page(html.parser.HTMLParser):
    """Every element of a page with its attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] == "script":
            self.scripts.append(data)
        self.text += data

    def tags(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def hostile_account():
    function = Function(number=1, name=HOSTILE, qualname=HOSTILE, file=f"{FOLDER}/{HOSTILE}", line=3, own=True)
    cause = Cause(slug=HOSTILE, path=HOSTILE, before=HOSTILE, after=HOSTILE, detail=HOSTILE)
    rows = tuple(
        SpecializationSeen(
            process=0,
            specialization=Specialization(
                number=n, trace=n, parts=((HOSTILE, HOSTILE),), changed=(HOSTILE,), causes=(HOSTILE,)
            ),
        )
        for n in (1, 2)
    )
    step = FunctionAccount(
        function=function,
        totals=FunctionTotals(function=function, traces=2, trace_s=1.0, avoidable_s=0.5),
        groups=(group(cause),),
        columns=(HOSTILE,),
        specializations=rows,
    )
    lane = Lane(HOSTILE, (Span("trace", HOSTILE, 0.0, 1.0),))
    return training_account(functions=(step,), lanes=(lane,), ledgers=(ledger(HOSTILE, problems=(HOSTILE,)),))


def test_the_page_holds_all_its_parts():
    text = Page(page_html(training_account())).text
    for said in (
        "3.65 s avoidable",
        "Where the time went",
        "Functions by avoidable cost",
        "When it happened",
        "batch['image']",
        "f32[5,64]",
        "Drop or pad the odd sizes",
        "stale-capture",
        "traced-condition",
        "Not seen in this run",
        "this JAX does not say what its key holds",
    ):
        assert said in text


def test_the_changed_part_of_a_specialization_is_marked():
    page = page_html(training_account())
    assert "<mark><code>f32[5,64]</code></mark>" in page
    assert "<mark><code>f32[32,64]</code></mark>" not in page


def test_the_page_refers_to_nothing_outside():
    page = Page(page_html(training_account()))
    for _, attributes in page.elements:
        for name in ("src", "href", "action", "srcset", "poster", "data"):
            value = attributes.get(name)
            assert value is None or value.startswith("#") or value == "data:,"
    assert "url(" not in page.text
    assert "@import" not in page.text


def test_the_policy_allows_the_two_constants_by_their_hash_and_nothing_else():
    text = page_html(training_account())
    page = Page(text)
    policy = next(m["content"] for m in page.tags("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (body,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert f"{tag}-src 'sha256-{base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()}'" in policy
    assert not [attributes for _, attributes in page.elements if "style" in attributes]


def test_no_name_or_value_of_a_ledger_becomes_markup_or_script():
    plain, hostile = Page(page_html(training_account())), Page(page_html(hostile_account()))
    assert len(hostile.tags("script")) == len(plain.tags("script")) == 2
    assert hostile.tags("img") == []
    assert not [a for _, a in hostile.elements if any(name.startswith("on") for name in a)]
    assert "alert(1)" in hostile.text
    assert "\x1b" not in page_html(hostile_account())
    assert "\u202e" not in page_html(hostile_account())
    assert "49" not in [part.strip() for part in hostile.text.split()]


def test_the_data_of_the_timeline_is_json_that_no_parser_leaves():
    page = page_html(hostile_account())
    (data,) = re.findall(r'<script type="application/json" id="timeline-data">(.*?)</script>', page, re.DOTALL)
    assert not set("<>&") & set(data)
    lanes = json.loads(data)["lanes"]
    assert lanes[0]["spans"] == [["t", 0, 0.0, 1.0, 0]]


def test_a_fragment_has_no_script_and_escapes_too():
    fragment = Page(document_fragment(page_document(hostile_account())))
    assert fragment.tags("script") == []
    assert fragment.tags("img") == []
    assert fragment.tags("details")


def test_source_is_marked_up_line_by_line_and_escaped():
    source = Source("train.py", 9, ("def f(x):  # </pre><b>", '    return """<i>', '"""'), ((9, "defined here"),))
    text = document_html(Document("t", (source,)))
    assert '<span class="row here"><span class="number">9</span>' in text
    assert "&lt;/pre&gt;&lt;b&gt;" in text
    assert "<b>" not in text
    assert "<i>" not in text
    assert text.count('class="number"') == 3


def test_folds_are_closed_unless_they_are_open():
    blocks = (Fold((Text("a"),), ()), Fold((Text("b"),), (Paragraph((Text("c"),)),), open=True))
    text = document_html(Document("t", blocks))
    assert "<details><summary>a" in text
    assert "<details open><summary>b" in text


def many_functions(functions: int, rows: int):
    def one(number: int) -> FunctionAccount:
        function = Function(
            number=number, name=f"f{number}", qualname=f"f{number}", file=f"{FOLDER}/m.py", line=number, own=True
        )
        seen = tuple(
            SpecializationSeen(
                process=0,
                specialization=Specialization(
                    number=n, trace=n, parts=tuple((f"x{i}", f"f32[{n},{i}]") for i in range(8))
                ),
            )
            for n in range(1, rows + 1)
        )
        return FunctionAccount(
            function=function,
            totals=FunctionTotals(function=function, traces=rows, specializations=1000, trace_s=1.0, avoidable_s=0.5),
            groups=train_step().groups,
            columns=tuple(f"x{i}" for i in range(8)),
            specializations=seen,
            specializations_folded=1000 - rows,
        )

    return training_account(functions=tuple(one(n) for n in range(1, functions + 1)))


def test_folded_specializations_are_counted_with_the_command_that_lists_them():
    text = Page(page_html(many_functions(1, 200))).text
    assert "200 costliest of 1,000 specializations" in text
    assert "800 are folded. List them all: stagelight why digits.jsonl --function f1 --format json" in " ".join(
        text.split()
    )


def test_the_costliest_functions_use_the_page_first_and_the_rest_keeps_a_few_rows():
    document = page_document(many_functions(3, 100), Budget(cells=14 * 110))
    text = Page(document_html(document)).text
    assert [f"{n} costliest of 1,000" in text for n in (100, 10, 8)] == [True, True, True]


def test_a_page_that_is_too_large_is_folded_until_it_fits(monkeypatch):
    account = many_functions(30, 60)
    whole = len(page_html(account))
    monkeypatch.setattr(page_module, "LARGEST_BYTES", whole // 3)
    assert len(page_html(account).encode()) <= whole // 3


def test_spans_beyond_the_limit_are_folded_with_the_command_that_writes_them_all():
    lane = Lane("thread 1", tuple(Span("trace", "f", float(n), 0.1) for n in range(5)), 3)
    text = Page(document_html(page_document(training_account(lanes=(lane,)), Budget(spans=2)))).text
    assert "6 cheaper spans folded" in text
    assert "stagelight report digits.jsonl -o trace.json --format perfetto" in text


@pytest.mark.parametrize("account", [training_account(functions=(), advisories=(), failures=(), lanes=(), ledgers=())])
def test_an_account_of_nothing_is_a_page(account):
    assert "Nothing was traced." in Page(page_html(account)).text
