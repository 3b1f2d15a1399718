"""``stagelight why``: the reason of every avoidable trace, compile and slow call of a ledger."""

import os
import sys
from collections.abc import Sequence

import click

from stagelight.attribution.pages import page_of
from stagelight.cli.ledger_arguments import ledger_arguments
from stagelight.errors import UsageError
from stagelight.recorder.ledger_file import LedgerFile, ledgers_from
from stagelight.report.accounting import account_from_ledgers
from stagelight.report.github import github_lines
from stagelight.report.machine_reading import write_machine_object
from stagelight.report.markdown import markdown_text
from stagelight.report.selection import Selection
from stagelight.report.terminal import encodable, write_terminal
from stagelight.report.why_document import why_document, without_match

FORMATS = ("text", "json", "markdown", "github")


@click.command(
    epilog="""\b
Examples:
  stagelight why train.jsonl
  stagelight why train.jsonl --function train_step --all
  stagelight why 'ledgers/*.jsonl' --cause shape-changed
  stagelight why train.jsonl --format json | jq '.misses[] | select(.avoidable)'
"""
)
@ledger_arguments
@click.option(
    "--function", "functions", multiple=True, metavar="NAME", help="Only this function; * is a wildcard. Repeatable."
)
@click.option(
    "--cause", "causes", multiple=True, metavar="SLUG", help="Only this cause, such as shape-changed. Repeatable."
)
@click.option("--file", "files", multiple=True, metavar="FILE", help="Only functions defined in this file. Repeatable.")
@click.option("--all", "everything", is_flag=True, help="Expected misses and library functions too.")
@click.option("--format", "format_name", type=click.Choice(FORMATS), default="text", show_default=True)
def command(
    ledgers: tuple[str, ...],
    functions: tuple[str, ...],
    causes: tuple[str, ...],
    files: tuple[str, ...],
    everything: bool,
    format_name: str,
) -> None:
    """Say why each function was traced or compiled again, or left the fast path.

    LEDGER is a file that `stagelight run -o` wrote, a folder of such files, or a pattern. By default only what could be
    avoided in your own functions is shown; what is folded is counted. The exit code is 0 whatever is found.
    """
    for slug in causes:
        if page_of(slug) is None:
            message = f"there is no cause {slug!r}. List them with: stagelight rule"
            raise UsageError(message)
    selection = Selection(functions=functions, causes=causes, files=files, everything=everything)
    opened = ledgers_from(ledgers)
    if format_name == "json":
        write_machine_object(opened, selection, sys.stdout.buffer.write)
    else:
        _write_document(opened, selection, format_name)


def _write_document(ledgers: Sequence[LedgerFile], selection: Selection, format_name: str) -> None:
    account = account_from_ledgers(ledgers)
    if format_name == "github":
        text = "".join(
            f"{line}\n" for line in github_lines(account, selection, root=os.environ.get("GITHUB_WORKSPACE", ""))
        )
        click.echo(encodable(text, sys.stdout), nl=False)
        return
    document = without_match(account, selection) or why_document(account, selection)
    if format_name == "markdown":
        click.echo(encodable(markdown_text(document), sys.stdout), nl=False)
    else:
        write_terminal(document)
