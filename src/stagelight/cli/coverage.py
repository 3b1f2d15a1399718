"""``stagelight coverage``: what a warm-up covers of what was served."""

import sys

import click
import msgspec

from stagelight.control.keyed_calls import warm_coverage
from stagelight.recorder.ledger_file import ledgers_from
from stagelight.report.warm_lines import coverage_lines


@click.command(
    epilog="""\b
Examples:
  stagelight run -q -o warm.jsonl warm_up.py
  stagelight run -q -o served.jsonl serve.py
  stagelight coverage warm.jsonl served.jsonl
"""
)
@click.argument("warm", type=click.Path())
@click.argument("served", type=click.Path())
@click.option("--format", "format_name", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(warm: str, served: str, format_name: str) -> None:
    """Say which calls of a served run a warm-up would have missed, and which part of the key differs.

    WARM is the ledger of the warm-up, SERVED that of a run of the service, warmed up or not. Both are files, folders of
    ledgers or patterns. The parts are arguments by path (shape, dtype, structure), static arguments, settings (x64,
    mesh) and places (committed, sharding, layout). The exit code is 1 if a call was missed.
    """
    coverage = warm_coverage(ledgers_from([warm]), ledgers_from([served]))
    if format_name == "json":
        click.echo(msgspec.json.encode(coverage))
    else:
        click.echo("\n".join(coverage_lines(coverage)))
    sys.exit(1 if coverage.missed else 0)
