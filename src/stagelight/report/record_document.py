"""One record as a document of its own."""

from stagelight.model.attribution import Advisory, Attributions, FailureFound, FunctionTotals, Miss, SpecializationTable
from stagelight.report.account import (
    AdvisoryGroup,
    FailureGroup,
    FunctionAccount,
    SpecializationSeen,
)
from stagelight.report.accounting import account_from_attributions
from stagelight.report.cause_section import cause_section
from stagelight.report.document import Document, Paragraph, Section, Text
from stagelight.report.failure_sections import advisory_section, failure_section
from stagelight.report.file_names import FileNames
from stagelight.report.function_table import defined_at, display_name, function_table
from stagelight.report.grouping import GrowingGroup
from stagelight.report.quantities import counted
from stagelight.report.specialization_table import specialization_table
from stagelight.report.why_document import why_document

NO_NAMES = FileNames()


def attributions_document(attributions: Attributions) -> Document:
    """Everything concluded from a ledger."""
    return why_document(account_from_attributions(attributions))


def miss_document(miss: Miss) -> Document:
    """One miss: its function, and why."""
    group = GrowingGroup(miss)
    group.add(miss)
    title = (Text(display_name(miss.function), "strong"), Text("  "), *defined_at(miss.function, NO_NAMES))
    section = Section(title=title, children=(cause_section(group.group(), NO_NAMES),), level=2)
    return Document(title=f"{miss.ledger} of {miss.function.name}", blocks=(section,))


def advisory_document(advisory: Advisory) -> Document:
    """One advisory."""
    return Document(title=advisory.slug, blocks=(advisory_section(AdvisoryGroup(advisory=advisory), NO_NAMES),))


def failure_document(failure: FailureFound) -> Document:
    """One failure."""
    group = FailureGroup(failure=failure, handled=int(failure.handled))
    return Document(title=failure.slug, blocks=(failure_section(group, NO_NAMES),))


def totals_document(totals: FunctionTotals) -> Document:
    """The counts and seconds of one function."""
    table = function_table([FunctionAccount(function=totals.function, totals=totals)], NO_NAMES)
    return Document(title=totals.function.name, blocks=(table,))


def table_document(table: SpecializationTable) -> Document:
    """The specializations of one function."""
    rows = tuple(SpecializationSeen(process=0, specialization=row) for row in table.rows)
    totals = FunctionTotals(function=table.function)
    function = FunctionAccount(function=table.function, totals=totals, columns=table.columns, specializations=rows)
    title = Text(f"{display_name(table.function)}: {counted(len(rows) + table.folded, 'specialization')}", "strong")
    blocks = (Paragraph((title,)), specialization_table(function, len(rows), NO_NAMES))
    return Document(title=table.function.name, blocks=blocks)
