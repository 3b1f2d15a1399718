"""``stagelight explain``: one function, coloured by binding time, beside what it made."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import click
import msgspec

from stagelight.cli.child import Request, Response, ask
from stagelight.cli.function_target import split_target
from stagelight.cli.ledger_calls import calls_from_ledgers
from stagelight.errors import UsageError
from stagelight.model.explanation import Explanation
from stagelight.model.explanation_difference import ExplanationDifference
from stagelight.report.difference_document import difference_document
from stagelight.report.explanation_comparison import explanation_difference, write_explanation_difference
from stagelight.report.explanation_page import explanation_html
from stagelight.report.explanation_terminal import write_explanation
from stagelight.report.html import document_html
from stagelight.report.shown import Format, show

FORMATS = ("text", "json", "html")


@click.command(
    epilog="""\b
Examples:
  stagelight explain train.py:train_step --call "f32[32,128], {'w': f32[128]}"
  stagelight explain train.py:loss --call 'f32[8], mode="sum"' --boundary
  stagelight explain train.py:loss --call 'f32[8], mode="sum"' --diff 'f32[8], mode="mean"'
  stagelight explain train.py:train_step --from train.jsonl --format html -o step.html
  stagelight explain train.py:loss --call 'f32[8], mode="sum"' --machine
"""
)
@click.argument("target", metavar="FILE:FUNCTION")
@click.option("--call", "call", metavar="CALL", help="Arguments in JAX's notation: 'f32[32,128], mode=\"sum\"'.")
@click.option("--from", "ledgers", multiple=True, metavar="LEDGER", help="Take the call from a ledger. Repeatable.")
@click.option("--diff", "other", metavar="CALL", help="A second call: show only what differs between both.")
@click.option("--static", multiple=True, metavar="NAME", help="A static argument, if jit does not name it. Repeatable.")
@click.option("--own", multiple=True, metavar="PACKAGE", help="Show this package's functions too. Repeatable.")
@click.option("--boundary", is_flag=True, help="Show only lines where a value crosses the staging boundary.")
@click.option("--jaxpr", "with_jaxpr", is_flag=True, help="Print the jaxpr as well.")
@click.option("--machine", is_flag=True, help="Show the call step by step on the reference machine, beside JAX.")
@click.option("--timeout", default=60.0, show_default=True, metavar="SECONDS", help="Limit for import and trace.")
@click.option("--format", "format_name", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to this file instead.")
@click.option("--force", is_flag=True, help="Overwrite the output file.")
def command(
    target: str,
    call: str | None,
    ledgers: tuple[str, ...],
    other: str | None,
    static: tuple[str, ...],
    own: tuple[str, ...],
    boundary: bool,
    with_jaxpr: bool,
    machine: bool,
    timeout: float,
    format_name: Format,
    output: str | None,
    force: bool,
) -> None:
    """Trace one function and show its source by binding time.

    FILE is imported in a child process; FUNCTION is traced there on abstract inputs, and not run. Each expression is
    shown as constant, static, metadata or data, as observed; beside each line stand the equations it made. If the trace
    fails, the exact sub-expression, the arguments it flows from and the ways out are shown.

    With --machine the call is taken step by step instead: split, flatten, abstract, the cache key part by part, look
    up, trace or hit, and beside each step stands what JAX did. --diff then adds a second call, to see what changes in
    its key. What the reference machine does not model is named.

    The exit code is 1 if the trace fails, else 0.
    """
    file, function = split_target(target)
    _require_free(output, force)
    calls = _calls(file, function, call, ledgers, other)
    if machine:
        if boundary or with_jaxpr or own:
            message = "--machine shows steps, not source: it goes with --call, --from, --diff, --static and --format"
            raise UsageError(message)
        request = Request(task="machine", target=target, calls=calls, static=static)
        _show_machine(ask(request, timeout_s=timeout), format_name, output)
        return
    request = Request(task="explain", target=target, calls=calls, static=static, own=own)
    explanations = ask(request, timeout_s=timeout).explanations
    record = explanation_difference(*explanations) if other is not None else explanations[0]
    with _destination(output) as stream:
        _write(record, format_name, stream, boundary=boundary, with_jaxpr=with_jaxpr)
    if explanations[0].failure is not None:
        sys.exit(1)


def _show_machine(response: Response, format_name: Format, output: str | None) -> None:
    comparison = response.comparison
    assert comparison is not None
    with _destination(output) as stream:
        show(comparison, format=format_name, file=stream)
    if any(one.jax.error for one in comparison.calls):
        sys.exit(1)


def _calls(file: str, function: str, call: str | None, ledgers: tuple[str, ...], other: str | None) -> tuple[str, ...]:
    if call is not None and ledgers:
        message = "give --call or --from, not both"
        raise UsageError(message)
    found = list(calls_from_ledgers(ledgers, file, function)) if ledgers else [call or ""]
    if other is not None:
        return (found[0], other)
    return (found[0],)


def _write(
    record: Explanation | ExplanationDifference, format_name: str, stream: TextIO, *, boundary: bool, with_jaxpr: bool
) -> None:
    if format_name == "json":
        stream.write(msgspec.json.format(msgspec.json.encode(record), indent=2).decode() + "\n")
    elif isinstance(record, ExplanationDifference):
        if format_name == "html":
            stream.write(document_html(difference_document(record)))
        else:
            write_explanation_difference(record, stream)
    elif format_name == "html":
        stream.write(explanation_html(record))
    else:
        write_explanation(record, stream, only_boundary=boundary, with_jaxpr=with_jaxpr)


def _require_free(output: str | None, force: bool) -> None:
    if output is not None and Path(output).exists() and not force:
        message = f"{output} exists: give --force to overwrite it"
        raise UsageError(message)


@contextlib.contextmanager
def _destination(output: str | None) -> Iterator[TextIO]:
    if output is None:
        yield sys.stdout
        return
    with open(output, "w", encoding="utf-8") as file:
        yield file
