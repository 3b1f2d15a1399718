"""``stagelight report``: a ledger as one page, as JSON, or as a trace for Perfetto."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from stagelight.cli.ledger_arguments import ledger_arguments
from stagelight.errors import UsageError
from stagelight.recorder.ledger_file import LedgerFile, ledgers_from
from stagelight.report.accounting import account_from_ledgers
from stagelight.report.html import page_html
from stagelight.report.machine_reading import write_machine_object
from stagelight.report.perfetto import write_perfetto
from stagelight.report.selection import Selection

type Write = Callable[[bytes], object]

FORMATS = ("html", "json", "perfetto")
ENDINGS = {"html": (".html", ".htm"), "json": (".json",), "perfetto": (".json",)}
KNOWN_ENDINGS = (".html", ".htm", ".json", ".jsonl", ".pdf", ".md", ".txt", ".csv", ".png", ".svg", ".py")


@click.command(
    epilog="""\b
Examples:
  stagelight report train.jsonl -o report.html
  stagelight report ledgers/ -o report.html --force
  stagelight report train.jsonl -o trace.json --format perfetto
"""
)
@ledger_arguments
@click.option("-o", "--output", required=True, metavar="FILE", type=click.Path(), help="The file to write.")
@click.option("-f", "--force", is_flag=True, help="Overwrite FILE.")
@click.option("--format", "format_name", type=click.Choice(FORMATS), default="html", show_default=True)
def command(ledgers: tuple[str, ...], output: str, force: bool, format_name: str) -> None:
    """Write what was recorded as one file.

    The page is self-contained: no network, light and dark, every control by keyboard. It shows totals, functions by
    cost, the reason of each miss with its line and its fix, specializations, a timeline, advisories, failures and what
    this run could not see. The trace file opens in ui.perfetto.dev and chrome://tracing.
    """
    _check_ending(output, format_name)
    opened = ledgers_from(ledgers)
    with _new_file(output, force) as write:
        _write(format_name, opened, write)
    click.echo(f"Wrote {click.format_filename(output)} ({_size(Path(output).stat().st_size)}).", err=True)


def _check_ending(output: str, format_name: str) -> None:
    """A file name that promises another format is a slip of the hand."""
    ending, fitting = Path(output).suffix.lower(), ENDINGS[format_name]
    if ending not in KNOWN_ENDINGS or ending in fitting:
        return
    choices = " or ".join(f"--format {name}" for name, endings in ENDINGS.items() if ending in endings)
    way = f"ask for {choices}" if choices else f"it cannot be written as {ending}"
    message = f"{output} would hold {format_name}: {way}, or name a file that ends with {fitting[0]}."
    raise UsageError(message)


def _write(format_name: str, ledgers: Sequence[LedgerFile], write: Write) -> None:
    if format_name == "json":
        write_machine_object(ledgers, Selection(), write)
    elif format_name == "perfetto":
        write_perfetto(ledgers, write)
    else:
        account = account_from_ledgers(ledgers, timeline=True, specializations=True)
        write(page_html(account).encode("utf-8", "replace"))


@contextlib.contextmanager
def _new_file(output: str, force: bool) -> Iterator[Write]:
    """A file that appears whole or not at all."""
    path = Path(output)
    if path.is_dir():
        message = f"{output} is a folder. Name a file in it."
        raise UsageError(message)
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            yield device.write
        return
    if path.exists() and not force:
        message = f"{output} exists. Overwrite it with --force, or name another file."
        raise UsageError(message)
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
            part = Path(file.name)
            try:
                yield file.write
                file.close()
                part.chmod(0o666 & ~_umask())
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
    except OSError as error:
        message = f"{output} cannot be written: {error.strerror or error}"
        raise UsageError(message) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _size(size_bytes: int) -> str:
    if size_bytes < 1024 * 1024:
        return f"{max(1, round(size_bytes / 1024)):,} KB"
    return f"{size_bytes / 1024 / 1024:,.1f} MB"
