"""One group of misses as a section: the causes, before and after, where from, what to do."""

from collections.abc import Sequence

from stagelight.model.attribution import Cause
from stagelight.model.site import Site
from stagelight.report.account import CauseGroup, Example
from stagelight.report.document import Badge, Change, Code, Inline, KeyValues, Line, Place, Section, Text
from stagelight.report.file_names import FileNames
from stagelight.report.quantities import counted, seconds_text
from stagelight.report.visible import shortened
from stagelight.report.ways_out import BUCKETED_SIZES, way_out

CAUSES = 4
EXAMPLES = 3
SITES = 3
VALUE_LENGTH = 160

_NOUNS = {"trace": ("trace", "traces"), "compile": ("compile", "compiles"), "dispatch": ("slow call", "slow calls")}


def cause_section(group: CauseGroup, names: FileNames, *, examples: int = EXAMPLES) -> Section:
    """The section of one group.

    Args:
        group: The group.
        names: How files are called.
        examples: How many different changes to show.
    """
    rows: list[tuple[str, tuple[Line, ...]]] = [*_change_rows(group, examples)]
    rows += _under_row(group)
    rows.append(("from", _site_lines(group, names)))
    if group.persistent:
        uses = ", ".join(f"{outcome} ×{times:,}" if times > 1 else outcome for outcome, times in group.persistent)
        rows.append(("disk cache", ((Text(uses),),)))
    fixes = _fix_lines(group)
    if fixes:
        rows.append(("fix", fixes))
    return Section(title=_title(group), aside=_cost(group), children=(KeyValues(tuple(rows)),), level=3)


def _title(group: CauseGroup) -> Line:
    tone = "warn" if group.avoidable else "accent" if group.ledger == "dispatch" else "muted"
    slugs = tuple(dict.fromkeys(cause.slug for cause in group.causes))
    return tuple(Badge(slug, tone) for slug in slugs)


def _cost(group: CauseGroup) -> Line:
    parts = [counted(group.misses, *_NOUNS[group.ledger])]
    if group.compiles:
        parts.append(counted(group.compiles, "compile"))
    if group.failed:
        parts.append(f"{group.failed:,} failed")
    return (Text(", ".join(parts), "muted"), Text(f"   {seconds_text(group.seconds)}"))


def _change_rows(group: CauseGroup, limit: int) -> list[tuple[str, tuple[Line, ...]]]:
    """A row for each cause that has evidence, its changes among the examples one below the other."""
    rows: list[tuple[str, tuple[Line, ...]]] = []
    for index, cause in enumerate(group.causes[:CAUSES]):
        lines = _changes(group.examples, index, limit)
        shown = len(lines)
        different = len({_evidence(e, index) for e in group.examples}) + group.examples_folded
        if different > shown and shown:
            lines.append((Text(f"and {different - shown:,} more", "muted"),))
        if cause.detail:
            lines.append((Text(shortened(cause.detail, 2 * VALUE_LENGTH), "muted"),))
        if lines:
            rows.append((cause.path or "change", tuple(lines)))
    hidden = len(group.causes) - CAUSES
    if hidden > 0:
        rows.append(("", ((Text(f"and {counted(hidden, 'more key part')} at the same time", "muted"),),)))
    return rows


def _changes(examples: Sequence[Example], index: int, limit: int) -> list[Line]:
    lines: dict[tuple[str, str], Line] = {}
    for example in examples:
        before, after = _evidence(example, index)
        if before or after:
            lines.setdefault((before, after), change_line(before, after))
    return list(lines.values())[:limit]


def _evidence(example: Example, index: int) -> tuple[str, str]:
    cause = example.causes[index] if index < len(example.causes) else Cause(slug="")
    return cause.before, cause.after


def change_line(before: str, after: str) -> Line:
    """Before and after as one line; a value alone where there is no other."""
    before, after = shortened(before, VALUE_LENGTH), shortened(after, VALUE_LENGTH)
    if before and after:
        return (Change(before, after),)
    return (Code(before or after),)


def _under_row(group: CauseGroup) -> list[tuple[str, tuple[Line, ...]]]:
    under = tuple(dict.fromkeys(" of ".join(example.under) for example in group.examples if example.under))
    return [("under", tuple((Code(text),) for text in under[:SITES]))] if under else []


def _site_lines(group: CauseGroup, names: FileNames) -> tuple[Line, ...]:
    lines: list[Line] = []
    for site, times in group.sites[:SITES]:
        line: list[Inline] = [place(site, names)]
        if times > 1:
            line.append(Text(f" ×{times:,}", "muted"))
        lines.append(tuple(line))
    hidden = sum(times for _, times in group.sites[SITES:]) + group.sites_folded
    if hidden:
        lines.append((Text(f"and {hidden:,} from other lines", "muted"),))
    return tuple(lines) or ((Text("unknown", "muted"),),)


def place(site: Site, names: FileNames) -> Inline:
    """A site as a place, or a word where there is none."""
    if not site.file:
        return Text("outside the program's own code", "muted")
    return Place(names.short(site.file), site.line, site.function)


def _fix_lines(group: CauseGroup) -> tuple[Line, ...]:
    """One line a slug, in the name of its first path; many paths are named by their number."""
    paths: dict[str, list[str]] = {}
    for cause in group.causes:
        paths.setdefault(cause.slug, []).append(cause.path)
    texts = [
        BUCKETED_SIZES if group.bucketed and slug == "shape-changed"
        else way_out(slug, found[0] if len(found) == 1 else "each of them")
        for slug, found in paths.items()
    ]  # fmt: skip
    return tuple((Text(text),) for text in dict.fromkeys(texts) if text)
