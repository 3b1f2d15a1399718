"""``stagelight diff``: two runs, or two hosts, side by side."""

import sys

import click
import msgspec

from stagelight.comparison.run_difference import run_difference
from stagelight.recorder.ledger_file import ledgers_from
from stagelight.report.diff_document import diff_document
from stagelight.report.html import document_html
from stagelight.report.markdown import markdown_text
from stagelight.report.run_reading import run_from_ledgers
from stagelight.report.terminal import encodable, write_terminal

FORMATS = ("text", "json", "markdown", "html")


@click.command(
    epilog="""\b
Examples:
  stagelight diff before.jsonl after.jsonl
  stagelight diff ledgers/host0.jsonl ledgers/host1.jsonl --all
  stagelight diff before.jsonl after.jsonl --format html > diff.html
"""
)
@click.argument("before", metavar="A", type=click.Path())
@click.argument("after", metavar="B", type=click.Path())
@click.option("--all", "everything", is_flag=True, help="Library functions too.")
@click.option("--format", "format_name", type=click.Choice(FORMATS), default="text", show_default=True)
def command(before: str, after: str, everything: bool, format_name: str) -> None:
    """Say what run B traced or compiled that run A did not, and the other way round.

    A and B are ledgers, folders of ledgers, or patterns. For each function that differs: counts and seconds before and
    after, the keys that only one run has with the part that differs from the nearest key of the other, and the
    component of the persistent cache's key that differs where both compiled the same. Where both runs kept their
    compiled programs (run --programs DIR), the first lines that differ too, and what they come from.
    The exit code is 0.
    """
    first = run_from_ledgers(before, ledgers_from([before]))
    second = run_from_ledgers(after, ledgers_from([after]))
    difference = run_difference(first.functions, second.functions, programs=(first.program, second.program))
    if format_name == "json":
        sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(difference), indent=1) + b"\n")
        return
    document = diff_document(first, second, difference, everything=everything)
    if format_name == "html":
        sys.stdout.buffer.write(document_html(document).encode("utf-8", "replace"))
    elif format_name == "markdown":
        click.echo(encodable(markdown_text(document), sys.stdout), nl=False)
    else:
        write_terminal(document)
