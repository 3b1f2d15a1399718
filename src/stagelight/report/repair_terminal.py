"""Repairs in a terminal: the diff, what was compared before it was offered, and why the others are refused."""

from typing import TextIO

from rich.console import Console
from rich.text import Text

from stagelight.model.repair import Repair, RepairReport
from stagelight.report.visible import visible, visible_source_line


def write_repairs(report: RepairReport, stream: TextIO) -> None:
    """Write what can be done about one function; colours where the stream is a terminal."""
    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    console.print(Text(visible(report.call), "bold"))
    place = f"{visible(report.file)}:{report.line}"
    if report.slug:
        console.print(Text.assemble(f"{place}  ", (report.slug, "bold red"), f"  {visible(report.expression)}"))
    else:
        console.print(Text(f"{place}  traces without error", "dim"))
    for number, repair in enumerate(report.offered, start=1):
        _write_repair(console, number, repair)
    for refused in report.refused:
        console.print(Text.assemble(("\nrefused ", "yellow"), f"{refused.kind}: {visible(refused.reason)}"), end="")
    if report.refused or not report.offered:
        console.print()
    if not report.offered:
        console.print(Text("No repair is offered: none was confirmed.", "bold"))


def _write_repair(console: Console, number: int, repair: Repair) -> None:
    console.print()
    console.print(Text.assemble((f"{number}. {repair.kind}", "bold green"), f"  {visible(repair.title)}"))
    for line in repair.diff.splitlines():
        console.print(Text(visible_source_line(line), _style(line)))
    for line in coverage_lines(repair):
        console.print(Text(f"   {line}", "dim"))


def coverage_lines(repair: Repair) -> list[str]:
    """What was compared, in words."""
    coverage = repair.coverage
    lines = [
        f"both sides agreed on {coverage.inputs} inputs, and in gradient on {coverage.gradients} of them; "
        f"traced {coverage.traces} time{'s' if coverage.traces != 1 else ''} for {coverage.signatures} signature"
        f"{'s' if coverage.signatures != 1 else ''}"
    ]
    lines += [f"`{t.text}` was true {t.true} times and false {t.false} times" for t in coverage.tests]
    return [*map(visible, lines), *(f"caution: {visible(c)}" for c in repair.cautions)]


def _style(line: str) -> str:
    if line.startswith(("+++", "---", "@@")):
        return "bold"
    return "green" if line.startswith("+") else "red" if line.startswith("-") else ""
