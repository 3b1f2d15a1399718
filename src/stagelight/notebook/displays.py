"""Records show themselves at the end of a cell: displays by type, so that records stay plain values."""

from collections.abc import Callable
from typing import Any

from stagelight.model.attribution import (
    Advisory,
    Attributions,
    FailureFound,
    FunctionTotals,
    Miss,
    SpecializationTable,
)
from stagelight.model.bucket import BucketReport
from stagelight.model.explanation import Explanation
from stagelight.model.repair import RepairReport
from stagelight.model.trial import Experiment, Predictions
from stagelight.recorder.watching import Ledger
from stagelight.report.accounting import account_from_attributions
from stagelight.report.document import Document
from stagelight.report.folded_document import folded_document
from stagelight.report.html import document_fragment
from stagelight.report.shown import account_of, document_of
from stagelight.report.terminal import terminal_text

WIDTH = 96


class DisplayedDocument:
    """A document as a notebook displays it: HTML that folds, plain text elsewhere."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Both forms; the front end chooses."""
        return {
            "text/html": document_fragment(self._document),
            "text/plain": terminal_text(self._document, width=WIDTH),
        }


def _ledger_document(ledger: Ledger) -> Document:
    return folded_document(account_of(ledger))


def _attributions_document(attributions: Attributions) -> Document:
    return folded_document(account_from_attributions(attributions))


# Big records fold; small ones show all they have.
_DOCUMENTS: tuple[tuple[type, Callable[[Any], Document]], ...] = (
    (Ledger, _ledger_document),
    (Attributions, _attributions_document),
    *((kind, document_of) for kind in (Miss, Advisory, FailureFound, FunctionTotals, SpecializationTable)),
    *((kind, document_of) for kind in (Predictions, Experiment, Explanation, RepairReport, BucketReport)),
)


def register_displays(shell: Any) -> None:
    """Let IPython show records by their type."""
    formatters = shell.display_formatter.formatters
    for kind, make in _DOCUMENTS:
        formatters["text/html"].for_type(kind, lambda record, make=make: document_fragment(make(record)))
        formatters["text/plain"].for_type(kind, lambda record, printer, cycle, make=make: _print(make(record), printer))


def unregister_displays(shell: Any) -> None:
    """Show records as plain values again."""
    formatters = shell.display_formatter.formatters
    for kind, _ in _DOCUMENTS:
        for name in ("text/html", "text/plain"):
            formatters[name].pop(kind, None)


def _print(document: Document, printer: Any) -> None:
    """Write plain text through IPython's pretty printer."""
    printer.text(terminal_text(document, width=WIDTH).rstrip())
