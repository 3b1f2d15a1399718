"""``stagelight warm``: compile what a ledger or lock says will be called, before a deployment."""

import concurrent.futures
import multiprocessing
import os
import sys

import click
import msgspec

from stagelight.control.warm_up import warm
from stagelight.errors import WarmUpError
from stagelight.model.warm_up import WarmUp
from stagelight.report.warm_lines import warm_up_lines


@click.command(
    epilog="""\b
Examples:
  JAX_COMPILATION_CACHE_DIR=/srv/cache stagelight warm served.jsonl --app service:functions
  JAX_COMPILATION_CACHE_DIR=/srv/cache stagelight warm stagelight.lock --app service:functions --processes 4
"""
)
@click.argument("calls", metavar="LEDGER|LOCK", type=click.Path())
@click.option("--app", required=True, metavar="MODULE:FACTORY", help="FACTORY() returns {name: jitted function}.")
@click.option("--processes", type=click.IntRange(0), default=0, metavar="N", help="Compile in N processes.")
@click.option("--format", "format_name", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(calls: str, app: str, processes: int, format_name: str) -> None:
    """Compile what was called, from its shapes alone, into the persistent cache.

    The calls come from a ledger of the service, or from a lock file. Set JAX_COMPILATION_CACHE_DIR to the folder that
    the service uses: without it, what is compiled here is gone when this command ends. Stopped half-way, run it again:
    what is in the cache is not compiled again. The exit code is 1 if a call could not be warmed.
    """
    if not os.environ.get("JAX_COMPILATION_CACHE_DIR"):
        message = "JAX_COMPILATION_CACHE_DIR is not set: what this compiles would be gone at its end"
        raise WarmUpError(message)
    # JAX keeps only what took a second to compile; a warm-up is to keep everything.
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
    done = _warm(calls, app, processes, quiet=format_name == "json")
    click.echo(msgspec.json.encode(done) if format_name == "json" else "\n".join(warm_up_lines(done)))
    sys.exit(1 if any(call.outcome in ("failed", "not rebuilt") for call in done.calls) else 0)


def _warm(calls: str, app: str, processes: int, *, quiet: bool) -> WarmUp:
    def progress(done: int, total: int) -> None:
        if not quiet and sys.stderr.isatty():
            click.echo(f"\r{done}/{total}", nl=done == total, err=True)

    if not processes:
        return warm(app, calls, progress=progress)
    # A forked child of a process in which JAX runs threads can hang: each process starts anew.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(processes, mp_context=context) as pool:
        return warm(app, calls, executor=pool, progress=progress)
