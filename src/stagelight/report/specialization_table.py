"""A function's specializations: one row each, a column for each key part that ever differed, what changed marked."""

from collections.abc import Sequence

from stagelight.report.account import FunctionAccount, SpecializationSeen
from stagelight.report.cause_section import place
from stagelight.report.document import Badge, Cell, Code, Column, Table, Text
from stagelight.report.file_names import FileNames
from stagelight.report.quantities import seconds_text
from stagelight.report.visible import shortened

COLUMNS = 24
VALUE_LENGTH = 64


def specialization_table(function: FunctionAccount, rows: int, names: FileNames) -> Table:
    """The table.

    Args:
        function: The function.
        rows: How many specializations to show, the costliest.
        names: How files are called.
    """
    shown = _costliest(function.specializations, rows)
    parts = function.columns[:COLUMNS]
    processes = len({seen.process for seen in shown}) > 1
    calls = any(seen.specialization.calls is not None for seen in shown)
    columns = [Column("#", "right", True)]
    columns += [Column("process", "right", True)] if processes else []
    columns += [Column(name, code=True) for name in parts]
    columns += [Column("calls", "right", True)] if calls else []
    columns += [Column("seconds", "right", True), Column("why"), Column("from")]
    return Table(tuple(columns), tuple(_row(seen, parts, processes, calls, names) for seen in shown))


def columns_of(function: FunctionAccount) -> int:
    """How many columns the table has, at most."""
    return 6 + min(COLUMNS, len(function.columns))


def _costliest(specializations: Sequence[SpecializationSeen], rows: int) -> list[SpecializationSeen]:
    """The costliest, back in the order in which they were made."""
    return sorted(specializations[:rows], key=lambda seen: (seen.process, seen.specialization.number))


def _row(
    seen: SpecializationSeen, parts: Sequence[str], processes: bool, calls: bool, names: FileNames
) -> tuple[Cell, ...]:
    specialization = seen.specialization
    values, changed = dict(specialization.parts), frozenset(specialization.changed)
    cells = [Cell((Text(str(specialization.number)),), order=float(specialization.number))]
    if processes:
        cells.append(Cell((Text(str(seen.process)),), order=float(seen.process)))
    for name in parts:
        cells.append(Cell((Code(shortened(values.get(name, "–"), VALUE_LENGTH)),), marked=name in changed))
    if calls:
        number = specialization.calls
        cells.append(Cell((Text("–" if number is None else f"{number:,}"),), order=float(number or 0)))
    cells.append(Cell((Text(seconds_text(specialization.seconds)),), order=specialization.seconds))
    cells.append(Cell(tuple(Badge(slug, "muted") for slug in dict.fromkeys(specialization.causes))))
    cells.append(Cell((place(specialization.call, names),)))
    return tuple(cells)
