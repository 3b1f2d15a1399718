"""What a test run says at its end: the tests and functions that cost most, and what tests could share."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from stagelight.model.attribution import EXPECTED_CAUSES
from stagelight.model.test_miss import TestMiss
from stagelight.report.quantities import counted, seconds_text

_MOST_ROWS = 8
_MOST_TESTS_NAMED = 3
_MOST_NOTES = 20


def summary_lines(misses: Sequence[TestMiss], notes: Sequence[str]) -> list[str]:
    """The lines of the section ``stagelight``.

    Args:
        misses: Of all processes.
        notes: What to say beside them.
    """
    work = [m for m in misses if m.ledger != "dispatch"]
    if not work:
        return ["Nothing was traced or compiled.", *notes[:_MOST_NOTES]]
    total = sum(m.seconds for m in work)
    lines = [f"{_counts(work)}, {seconds_text(total)} in all."]
    lines += _table("Most expensive tests", _by_test(work))
    lines += _table("Most expensive functions of your own", _by_function([m for m in work if m.own]))
    lines += _shared(work)
    if notes:
        lines += ["", *notes[:_MOST_NOTES]]
    return lines


def _counts(misses: Sequence[TestMiss]) -> str:
    ledgers = Counter(m.ledger for m in misses)
    return f"{counted(ledgers['trace'], 'trace')} and {counted(ledgers['compile'], 'compile')}"


type Row = tuple[float, str, str]


def _by_test(misses: Sequence[TestMiss]) -> list[Row]:
    groups: defaultdict[str, list[TestMiss]] = defaultdict(list)
    for miss in misses:
        place = miss.test or "outside tests"
        groups[f"{place} (setup)" if miss.phase == "setup" else place].append(miss)
    return [(sum(m.seconds for m in g), name, _counts(g)) for name, g in groups.items()]


def _by_function(misses: Sequence[TestMiss]) -> list[Row]:
    groups: defaultdict[tuple[str, int, str], list[TestMiss]] = defaultdict(list)
    for miss in misses:
        groups[(miss.file, miss.line, miss.function)].append(miss)
    rows = []
    for (file, line, name), group in groups.items():
        avoidable = Counter(m.causes[0] for m in group if m.causes and m.causes[0] not in EXPECTED_CAUSES)
        why = "".join(f", {count} × {slug}" for slug, count in avoidable.most_common(2))
        shown = f"{name} ({file.rpartition('/')[2]}:{line})"
        rows.append((sum(m.seconds for m in group), shown, _counts(group) + why))
    return rows


def _table(title: str, rows: Sequence[Row]) -> list[str]:
    """Rows by falling cost; equal ones by name, so that two runs read the same."""
    if not rows:
        return []
    chosen = sorted(rows, key=lambda row: (-row[0], row[1]))
    lines = ["", f"{title}:"]
    lines += [f"  {seconds_text(s):>9}  {name}  {what}" for s, name, what in chosen[:_MOST_ROWS]]
    if len(chosen) > _MOST_ROWS:
        rest = chosen[_MOST_ROWS:]
        lines.append(f"  {seconds_text(sum(row[0] for row in rest)):>9}  {len(rest)} more")
    return lines


def _shared(misses: Sequence[TestMiss]) -> list[str]:
    """What several tests made anew, and what one fixture of a wider scope would save."""
    groups: defaultdict[str, list[TestMiss]] = defaultdict(list)
    for miss in misses:
        if miss.own and miss.signature and miss.test:
            groups[miss.signature].append(miss)
    rows = []
    for group in groups.values():
        tests: dict[str, float] = {}
        for miss in group:
            tests[miss.test] = tests.get(miss.test, 0.0) + miss.seconds
        if len(tests) > 1:
            saved = sum(list(tests.values())[1:])
            names = ", ".join(list(tests)[:_MOST_TESTS_NAMED])
            more = f" and {len(tests) - _MOST_TESTS_NAMED} more" if len(tests) > _MOST_TESTS_NAMED else ""
            rows.append((saved, f"{group[0].function}({group[0].shown})", f"in {len(tests)} tests: {names}{more}"))
    if not rows:
        return []
    title = f"Made again by other tests; sharing it would save {seconds_text(sum(row[0] for row in rows))}"
    return _table(title, rows)
