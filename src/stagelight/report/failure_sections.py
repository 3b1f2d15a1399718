"""Failures and advisories, one section each."""

from collections.abc import Sequence

from stagelight.model.attribution import FailureFound
from stagelight.report.account import AdvisoryGroup, FailureGroup
from stagelight.report.cause_section import VALUE_LENGTH, change_line, place
from stagelight.report.document import Badge, Code, Inline, KeyValues, Line, Section, Text
from stagelight.report.file_names import FileNames
from stagelight.report.function_table import display_name
from stagelight.report.visible import shortened
from stagelight.report.ways_out import way_out

MESSAGE_LENGTH = 600


def failure_section(group: FailureGroup, names: FileNames) -> Section:
    """One failure: the expression, the arguments it flows from, JAX's message, what to do."""
    failure = group.failure
    rows: list[tuple[str, tuple[Line, ...]]] = [("at", ((place(failure.site, names), *_column(failure)),))]
    if failure.expression:
        rows.append(("expression", ((Code(shortened(failure.expression, VALUE_LENGTH), "bad"),),)))
    if failure.arguments:
        rows.append(("flows from", (_codes(failure.arguments),)))
    if failure.function.name:
        rows.append(("in", ((Code(display_name(failure.function)),),)))
    if failure.call.file:
        rows.append(("called from", ((place(failure.call, names),),)))
    if failure.message:
        message = " ".join(failure.message.split())
        rows.append(("JAX says", ((Text(shortened(message, MESSAGE_LENGTH), "muted"),),)))
    fix = way_out(failure.slug)
    if fix:
        rows.append(("fix", ((Text(fix),),)))
    ended = group.handled < group.times
    title = (Badge(failure.slug, "bad" if ended else "warn"), Text(f" {failure.error}", "muted"))
    return Section(title=title, aside=(Text(_times(group)),), children=(KeyValues(tuple(rows)),), level=3)


def _times(group: FailureGroup) -> str:
    times = "" if group.times == 1 else f"{group.times:,} times, "
    return times + ("handled by the program" if group.handled == group.times else "ended the program")


def _column(failure: FailureFound) -> Line:
    return (Text(f", column {failure.column}", "muted"),) if failure.column else ()


def _codes(texts: Sequence[str], limit: int = 6) -> Line:
    line: list[Inline] = []
    for text in texts[:limit]:
        line += [Text(", "), Code(text)] if line else [Code(text)]
    if len(texts) > limit:
        line.append(Text(f" and {len(texts) - limit} more", "muted"))
    return tuple(line)


def advisory_section(group: AdvisoryGroup, names: FileNames) -> Section:
    """One advisory: what, where, before and after, what to do."""
    advisory = group.advisory
    rows: list[tuple[str, tuple[Line, ...]]] = []
    lines: list[Line] = []
    if advisory.before or advisory.after:
        lines.append(change_line(advisory.before, advisory.after))
    if advisory.detail:
        lines.append((Text(shortened(advisory.detail, MESSAGE_LENGTH), "muted"),))
    if lines or advisory.path:
        rows.append((advisory.path or "what", tuple(lines) or ((Text("–", "muted"),),)))
    if advisory.site.file:
        rows.append(("at", ((place(advisory.site, names),),)))
    fix = way_out(advisory.slug, advisory.path)
    if fix:
        rows.append(("fix", ((Text(fix),),)))
    title = (Badge(advisory.slug, "accent"), Text(f" {display_name(advisory.function)}"))
    aside = (Text(f"{group.times:,} times"),) if group.times > 1 else ()
    return Section(title=title, aside=aside, children=(KeyValues(tuple(rows)),), level=3)
