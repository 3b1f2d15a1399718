"""The timeline of a page, and the same in words: a table of its costliest spans."""

import heapq

from stagelight.report.account import Account
from stagelight.report.again import ledger_arguments
from stagelight.report.document import (
    Badge,
    Block,
    Cell,
    Code,
    Column,
    Command,
    Fold,
    Lane,
    Section,
    Table,
    Text,
    Timeline,
)
from stagelight.report.quantities import counted, seconds_text

COSTLIEST = 25


def timeline_blocks(account: Account, limit: int) -> list[Block]:
    """The section, or nothing where no span was kept.

    Args:
        account: What was read.
        limit: Spans of one lane.
    """
    lanes = tuple(_limited(lane, limit) for lane in account.lanes if lane.spans)
    if not lanes:
        return []
    children: list[Block] = [Timeline(lanes), _table(lanes)]
    command = f"stagelight report {ledger_arguments(account)} -o trace.json --format perfetto"
    folded = sum(lane.folded for lane in lanes)
    if folded:
        text = f"{counted(folded, 'cheaper span')} folded: at most {limit:,} a thread are drawn. All of them:"
        children.append(Command(command, text))
    if account.lanes_folded:
        children.append(Command(command, f"{counted(account.lanes_folded, 'further thread')} folded. All of them:"))
    return [Section((Text("When it happened"),), tuple(children), anchor="timeline")]


def _limited(lane: Lane, limit: int) -> Lane:
    if len(lane.spans) <= limit:
        return lane
    kept = heapq.nlargest(limit, lane.spans, key=lambda span: span.duration_s)
    spans = tuple(sorted(kept, key=lambda span: span.start_s))
    return Lane(lane.label, spans, lane.folded + len(lane.spans) - limit)


def _table(lanes: tuple[Lane, ...]) -> Fold:
    spans = [(lane.label, span) for lane in lanes for span in lane.spans]
    costliest = heapq.nlargest(COSTLIEST, spans, key=lambda item: item[1].duration_s)
    columns = (
        Column("what"),
        Column("function"),
        Column("thread"),
        Column("began at", "right", True),
        Column("took", "right", True),
        Column("avoidable"),
    )
    rows = tuple(
        (
            Cell((Text(span.kind),)),
            Cell((Code(span.label),)),
            Cell((Text(label),)),
            Cell((Text(f"{span.start_s:,.3f} s"),), order=span.start_s),
            Cell((Text(seconds_text(span.duration_s)),), order=span.duration_s),
            Cell((Badge("avoidable", "warn"),) if span.avoidable else (Text("–", "muted"),)),
        )
        for label, span in costliest
    )
    return Fold((Text(f"The {len(rows)} costliest, in words"),), (Table(columns, rows),))
