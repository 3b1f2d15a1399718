"""A document as one self-contained HTML page, or as a fragment that folds inside a notebook.

Everything that comes from a ledger passes Jinja's escaping and :func:`visible`; the page's own style and script are
constants, and the content security policy allows those two by their hashes and nothing else, from anywhere.
"""

import base64
import functools
import hashlib
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

import msgspec
from jinja2 import Environment, FunctionLoader, Template
from markupsafe import Markup

from stagelight.report.account import Account
from stagelight.report.document import Document, Lane, Timeline
from stagelight.report.page_document import Budget, page_document
from stagelight.report.source_tokens import highlighted_lines
from stagelight.report.visible import visible

LARGEST_BYTES = 4_900_000


def page_html(account: Account) -> str:
    """The page of an account, folded until it stays below five megabytes.

    Args:
        account: What was read, with timeline and specializations.
    """
    budget = Budget()
    page = document_html(page_document(account, budget))
    while len(page.encode("utf-8", "replace")) > LARGEST_BYTES and budget != budget.halved():
        budget = budget.halved()
        page = document_html(page_document(account, budget))
    return page


def document_html(document: Document) -> str:
    """A document as a whole page."""
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    sections = [block for block in document.blocks if getattr(block, "anchor", "") and getattr(block, "title", ())]
    return _template("page.html.j2").render(
        document=document,
        policy=policy,
        style=Markup(style),
        script=Markup(script),
        sections=sections,
        timeline=Markup(timeline_json(document)),
    )


def document_fragment(document: Document) -> str:
    """A document as a fragment for a notebook's output: folds without any script."""
    return _template("fragment.html.j2").render(document=document, style=Markup(_asset("fragment.css")))


def timeline_json(document: Document) -> str:
    """The lanes of the first timeline as JSON that no HTML parser can leave."""
    lanes = next((block.lanes for block in _all_blocks(document.blocks) if isinstance(block, Timeline)), ())
    labels: dict[str, int] = {}
    rows = [_lane_object(lane, labels) for lane in lanes]
    text = msgspec.json.encode({"labels": list(labels), "lanes": rows}).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _lane_object(lane: Lane, labels: dict[str, int]) -> dict[str, object]:
    spans = [
        (
            span.kind[0],
            labels.setdefault(visible(span.label), len(labels)),
            round(span.start_s, 6),
            round(span.duration_s, 7),
            int(span.avoidable),
        )
        for span in lane.spans
    ]
    return {"label": visible(lane.label), "spans": spans, "folded": lane.folded}


def _all_blocks(blocks: Iterable[Any]) -> Iterator[Any]:
    for block in blocks:
        yield block
        yield from _all_blocks(getattr(block, "children", ()))


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_made_visible,
    )
    filters: dict[str, Any] = {"kind": _kind, "highlighted": highlighted_lines, "marks": dict}
    environment.filters.update(filters)
    return environment


def _kind(node: object) -> str:
    return type(node).__name__


def _made_visible(value: object) -> object:
    """What each ``{{ … }}`` passes before it is escaped; markup made by this package is left alone."""
    if isinstance(value, Markup):
        return value
    return visible(value) if isinstance(value, str) else value


def _template(name: str) -> Template:
    return _environment().get_template(name)


@functools.cache
def _asset(name: str) -> str:
    return files("stagelight.report").joinpath("templates", name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
