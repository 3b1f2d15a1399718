"""``stagelight fix``: repairs that were run on both sides before they are offered."""

import os
import sys
import tempfile
import tokenize
from pathlib import Path

import click
import msgspec

from stagelight.cli.child import Request, ask
from stagelight.cli.function_target import split_target
from stagelight.cli.ledger_calls import calls_from_ledgers
from stagelight.errors import UsageError
from stagelight.model.repair import Refused, Repair, RepairReport
from stagelight.report.repair_terminal import write_repairs

KINDS = ("static", "where", "cond", "logical", "while_loop", "fori_loop", "at", "size", "jnp", "dtype", "debug_print",
         "scan", "hoist")  # fmt: skip


@click.command(
    epilog="""\b
Examples:
  stagelight fix model.py:loss --call 'f32[8]'
  stagelight fix model.py:loss --call 'f32[8], mode="sum"' --kind static --write
  stagelight fix model.py:loss --from train.jsonl
"""
)
@click.argument("target", metavar="FILE:FUNCTION")
@click.option(
    "--call", "call", metavar="CALL", help="Example arguments in JAX's notation: 'f32[32,128], mode=\"sum\"'."
)
@click.option("--from", "ledgers", multiple=True, metavar="LEDGER", help="Take the call from a ledger. Repeatable.")
@click.option("--static", multiple=True, metavar="NAME", help="A static argument, if jit does not name it. Repeatable.")
@click.option("--kind", type=click.Choice(KINDS), metavar="KIND", help=f"Only this repair: {', '.join(KINDS)}.")
@click.option("--write", is_flag=True, help="Write the first repair that is shown to the file.")
@click.option("--timeout", default=120.0, show_default=True, metavar="SECONDS", help="Limit for import and comparison.")
@click.option("--format", "format_name", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(
    target: str,
    call: str | None,
    ledgers: tuple[str, ...],
    static: tuple[str, ...],
    kind: str | None,
    write: bool,
    timeout: float,
    format_name: str,
) -> None:
    """Offer repairs of a function that fails to trace.

    FILE is imported in a child process. Each repair is spliced into the source (comments and formatting stay) and run:
    the original eagerly, the repaired function under jax.jit, on generated inputs that drive every rewritten condition
    both ways. Structure, shape, dtype, value and gradient must agree. What was compared is printed with the diff; what
    could not be confirmed is refused, with the reason. Nothing is written without --write or a yes.

    The function itself is run on the generated inputs: one with side effects is refused.

    The exit code is 0 if nothing is left to mend, else 1.
    """
    file, function = split_target(target)
    if call is not None and ledgers:
        message = "give --call or --from, not both"
        raise UsageError(message)
    example = calls_from_ledgers(ledgers, file, function)[0] if ledgers else call or ""
    request = Request(task="repair", target=target, calls=(example,), static=static)
    report = _only(ask(request, timeout_s=timeout).repairs[0], kind)
    if format_name == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(report), indent=2).decode())
    else:
        write_repairs(report, sys.stdout)
    is_mended = _write_if_wanted(report, write, asks=format_name == "text")
    if (report.slug or report.offered) and not is_mended:
        sys.exit(1)


def _only(report: RepairReport, kind: str | None) -> RepairReport:
    if kind is None:
        return report
    offered = tuple(r for r in report.offered if r.kind == kind)
    refused = tuple(r for r in report.refused if r.kind in (kind, "any"))
    if report.slug and not offered and not refused:
        others = ", ".join(dict.fromkeys(r.kind for r in report.offered))
        reason = f"not a repair of this {report.slug}" + (f"; confirmed here: {others}" if others else "")
        refused = (Refused(kind=kind, reason=reason),)
    return msgspec.structs.replace(report, offered=offered, refused=refused)


def _write_if_wanted(report: RepairReport, write: bool, *, asks: bool) -> bool:
    if not report.offered:
        if write:
            click.echo("nothing was written", err=True)
        return False
    repair = report.offered[0]
    can_ask = asks and sys.stdin.isatty() and sys.stdout.isatty()
    if not write and not (can_ask and click.confirm(f"\nWrite repair 1 ({repair.kind}) to {report.file}?")):
        return False
    write_repair(report.file, repair)
    click.echo(f"wrote {report.file}", err=True)
    return True


def write_repair(file: str, repair: Repair) -> None:
    """Write a repair to its file: in its encoding, with its line ends, at once or not at all.

    Raises:
        UsageError: The file is not what was repaired.
    """
    with tokenize.open(file) as opened:
        encoding, text = opened.encoding, opened.read()
    with open(file, "rb") as binary:
        line_end = "\r\n" if b"\r\n" in binary.read() else "\n"
    new = _with_edits(file, text.replace("\r\n", "\n"), repair)
    folder = os.path.dirname(os.path.abspath(file))
    with tempfile.NamedTemporaryFile("w", dir=folder, encoding=encoding, newline=line_end, delete=False) as temporary:
        temporary.write(new)
    os.chmod(temporary.name, os.stat(file).st_mode)
    Path(temporary.name).replace(file)


def _with_edits(file: str, text: str, repair: Repair) -> str:
    """The text after the repair's edits, which are of whole lines; the diff says what must stand there."""
    removed = [line[1:] for line in repair.diff.splitlines()[2:] if line.startswith("-")]
    lines = text.splitlines(keepends=True)
    replaced = [line for e in repair.edits for line in lines[e.span.line - 1 : e.span.end_line - 1]]
    if [line.rstrip("\n") for line in replaced] != removed:
        message = f"{file} has changed since it was read: run fix again"
        raise UsageError(message)
    for edit in sorted(repair.edits, key=lambda e: e.span.line, reverse=True):
        lines[edit.span.line - 1 : edit.span.end_line - 1] = edit.text.splitlines(keepends=True)
    return "".join(lines)
