"""``stagelight.show``: a ledger, or any record that Stagelight returns, in any format."""

import sys
from collections.abc import Callable, Iterable
from typing import Any, Literal, Protocol, TextIO, runtime_checkable

import msgspec

from stagelight.attribution.whole_ledger import attributions
from stagelight.errors import UsageError
from stagelight.model.attribution import (
    Advisory,
    Attributions,
    FailureFound,
    FunctionTotals,
    Miss,
    SpecializationTable,
)
from stagelight.model.bucket import BucketReport
from stagelight.model.event import Event
from stagelight.model.explanation import Explanation
from stagelight.model.ledger import Header, JaxSeen
from stagelight.model.machine_step import MachineCall, MachineComparison
from stagelight.model.repair import RepairReport
from stagelight.model.trial import Experiment, Predictions
from stagelight.report.account import Account
from stagelight.report.accounting import Accounting
from stagelight.report.bucket_document import bucket_document
from stagelight.report.document import Document
from stagelight.report.explanation_document import explanation_document, repair_document
from stagelight.report.explanation_page import explanation_html
from stagelight.report.explanation_terminal import write_explanation
from stagelight.report.html import document_html, page_html
from stagelight.report.machine_document import comparison_document, machine_document
from stagelight.report.machine_object import MachineObject
from stagelight.report.markdown import markdown_text
from stagelight.report.record_document import (
    advisory_document,
    attributions_document,
    failure_document,
    miss_document,
    table_document,
    totals_document,
)
from stagelight.report.terminal import write_terminal
from stagelight.report.trial_document import experiment_document, predictions_document
from stagelight.report.why_document import why_document

type Format = Literal["text", "markdown", "html", "json"]

FORMATS = ("text", "markdown", "html", "json")


@runtime_checkable
class ReadableLedger(Protocol):
    """A ledger as ``watch`` gives it, or as a file."""

    @property
    def header(self) -> Header:
        """Its first line."""
        ...

    def entries(self) -> Iterable[Event | JaxSeen]:
        """The rest of it."""
        ...


type Shown = (
    ReadableLedger
    | Document
    | Account
    | Attributions
    | Miss
    | Advisory
    | FailureFound
    | FunctionTotals
    | SpecializationTable
    | Predictions
    | Experiment
    | Explanation
    | RepairReport
    | BucketReport
    | MachineCall
    | MachineComparison
)


def _itself(document: Document) -> Document:
    return document


# What each kind of record becomes; a ledger, which is no record, is turned into an account first.
_DOCUMENTS: tuple[tuple[type, Callable[[Any], Document]], ...] = (
    (Document, _itself),
    (Account, why_document),
    (Attributions, attributions_document),
    (Miss, miss_document),
    (Advisory, advisory_document),
    (FailureFound, failure_document),
    (FunctionTotals, totals_document),
    (SpecializationTable, table_document),
    (Predictions, predictions_document),
    (Experiment, experiment_document),
    (Explanation, explanation_document),
    (RepairReport, repair_document),
    (BucketReport, bucket_document),
    (MachineCall, machine_document),
    (MachineComparison, comparison_document),
)


def show(record: Shown, *, format: Format = "text", file: TextIO | None = None) -> None:
    """Write a ledger, or any record that Stagelight returns, for people or machines.

    Args:
        record: A ledger, what ``stagelight.why`` returned, or one of its parts.
        format: ``text`` (coloured in a terminal), ``markdown``, ``html`` (one self-contained page) or ``json``.
        file: Where to write; standard output if absent.

    Raises:
        UsageError: The record or the format is none that can be shown.
    """
    if format not in FORMATS:
        message = f"show has no format {format!r}; there are {', '.join(FORMATS)}"
        raise UsageError(message)
    stream = file or sys.stdout
    if format == "json":
        stream.write(_json(record))
    elif isinstance(record, Explanation) and format in ("text", "html"):
        _show_explanation(record, stream, as_page=format == "html")
    elif format == "html" and isinstance(record, ReadableLedger):
        stream.write(page_html(account_of(record, whole=True)))
    elif format == "text":
        write_terminal(document_of(record), stream)
    else:
        document = document_of(record)
        stream.write(markdown_text(document) if format == "markdown" else document_html(document))


def _show_explanation(explanation: Explanation, stream: TextIO, *, as_page: bool) -> None:
    """An explanation has looks of its own: source coloured by binding time."""
    if as_page:
        stream.write(explanation_html(explanation))
    else:
        write_explanation(explanation, stream)


def account_of(ledger: ReadableLedger, *, whole: bool = False) -> Account:
    """A ledger, summed up; with its timeline and specializations if ``whole``."""
    accounting = Accounting(timeline=whole, specializations=whole)
    path = getattr(ledger, "path", "")
    accounting.read(str(path), ledger.header, ledger.entries())
    return accounting.account()


def document_of(record: Shown) -> Document:
    """A record as a document.

    Raises:
        UsageError: It is no record of Stagelight's.
    """
    for kind, make in _DOCUMENTS:
        if isinstance(record, kind):
            return make(record)
    if isinstance(record, ReadableLedger):
        return why_document(account_of(record))
    message = f"show takes a ledger or a record that Stagelight returned, not a {type(record).__name__}"
    raise UsageError(message)


def _json(record: Shown) -> str:
    if isinstance(record, ReadableLedger):
        record = attributions(record.entries())
    if isinstance(record, Attributions):
        pieces: list[bytes] = []
        target = MachineObject(pieces.append)
        for miss in record.misses:
            target.miss(miss)
        target.end(record.totals, record.advisories, record.failures)
        return b"".join(pieces).decode()
    document_of(record)
    return msgspec.json.format(msgspec.json.encode(record), indent=2).decode() + "\n"
