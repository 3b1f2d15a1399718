"""The functions of an account as a table, and what stands in the heading of one function."""

from collections.abc import Sequence

from stagelight.model.function import Function
from stagelight.report.account import FunctionAccount
from stagelight.report.document import Cell, Code, Column, Inline, Jump, Line, Place, Table, Text
from stagelight.report.file_names import FileNames
from stagelight.report.quantities import counted, seconds_text


def function_table(functions: Sequence[FunctionAccount], names: FileNames, *, jumps: bool = False) -> Table:
    """Counts and seconds, one row a function.

    Args:
        functions: The functions.
        names: How files are called.
        jumps: Whether names lead to the function's own section.
    """
    calls = any(f.totals.calls is not None for f in functions)
    columns = [Column("function"), Column("where", place=True)]
    columns += [Column("calls", "right", True)] if calls else []
    columns += [Column(name, "right", True) for name in ("traces", "compiles", "slow calls", "avoidable", "seconds")]
    return Table(tuple(columns), tuple(_row(f, names, calls, jumps) for f in functions))


def _row(function: FunctionAccount, names: FileNames, calls: bool, jumps: bool) -> tuple[Cell, ...]:
    totals = function.totals
    name = display_name(function.function)
    title: Inline = Jump(name, function_anchor(function.function)) if jumps else Code(name, "strong")
    cells = [Cell((title,)), Cell(defined_at(function.function, names))]
    if calls:
        cells.append(_number(totals.calls))
    cells += [_number(n) for n in (totals.traces, totals.compiles, totals.dispatch_misses)]
    avoidable = seconds_text(function.avoidable_s) if function.avoidable_s else "–"
    cells.append(Cell((Text(avoidable, "warn" if function.avoidable_s else "muted"),), order=function.avoidable_s))
    cells.append(Cell((Text(seconds_text(function.seconds)),), order=function.seconds))
    return tuple(cells)


def _number(number: int | None) -> Cell:
    if not number:
        return Cell((Text("–" if number is None else "0", "muted"),), order=-1.0 if number is None else 0.0)
    return Cell((Text(f"{number:,}"),), order=float(number))


def display_name(function: Function) -> str:
    """How a function is called in a heading.

    >>> display_name(Function(number=1, name="<lambda>", qualname="main.<locals>.<lambda>"))
    'main.<lambda>'
    """
    return function.qualname.replace(".<locals>", "") or function.name


def function_anchor(function: Function) -> str:
    """The anchor of a function's section, made of characters that a link can hold.

    >>> function_anchor(Function(number=1, name="f", qualname="f", file="/a/train.py", line=3))
    'function-f-train-py-3'
    """
    file = function.file.rpartition("/")[2]
    words = f"function-{display_name(function)}-{file}-{function.line}"
    return "-".join("".join(c if (c.isascii() and c.isalnum()) or c == "_" else " " for c in words).split())


def defined_at(function: Function, names: FileNames) -> Line:
    """Where a function is defined."""
    if function.kind == "eager":
        return (Text("eager operation", "muted"),)
    if not function.file:
        return (Text(function.module or "unknown", "muted"),)
    return (Place(names.short(function.file), function.line),)


def function_counts(function: FunctionAccount) -> str:
    """What happened to a function, in one line."""
    totals = function.totals
    parts = [counted(totals.calls, "call")] if totals.calls is not None else []
    parts += [counted(totals.traces, "trace"), counted(totals.compiles, "compile")]
    if totals.dispatch_misses:
        parts.append(counted(totals.dispatch_misses, "slow call"))
    return ", ".join(parts)
