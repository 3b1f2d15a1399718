"""``stagelight doctor``: what works here, and why."""

import importlib.metadata
import os
import platform
import sys
import tempfile
from typing import Any

import click

from stagelight import __version__
from stagelight.control.persistent_cache import check_persistent_cache
from stagelight.model.cache_check import CacheCheck

_LIBRARIES = ("jax", "jaxlib", "flax", "equinox", "optax", "numpy", "msgspec", "click", "rich", "jinja2")


@click.command(
    epilog="""\b
Examples:
  stagelight doctor
  JAX_COMPILATION_CACHE_DIR=~/.cache/jax stagelight doctor
"""
)
def command() -> None:
    """Say what Stagelight can record with the JAX that is installed here, and why not the rest.

    JAX is imported and one tiny function is traced and compiled, in this process. The exit code is 0 if everything that
    recording needs works, 1 if something is off.
    """
    click.echo(
        f"stagelight {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    )
    click.echo(f"  {_installed()}")
    if sys.version_info[:2] not in ((3, 12), (3, 13)):
        click.echo("  This Python is not tested; 3.12 and 3.13 are.")
    try:
        import jax
    except Exception as error:
        click.echo(f"JAX: not importable here ({type(error).__name__}: {error}).")
        click.echo("  Reading ledgers (why, report, diff) and checking source (check, rule) work without it.")
        return
    click.echo(f"JAX: {jax.__version__}, backend {jax.default_backend()}, {len(jax.devices())} device(s)")
    # Looked at before anything is compiled here: a compile decides whether this process uses the cache.
    cache = check_persistent_cache()
    is_whole = _capabilities()
    _persistent_cache(cache)
    sys.exit(0 if is_whole else 1)


def _installed() -> str:
    found: list[str] = []
    for name in _LIBRARIES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def _capabilities() -> bool:
    from stagelight.recorder.session import Session

    with tempfile.TemporaryDirectory() as folder:
        session = Session(os.path.join(folder, "doctor.jsonl")).start()
        seen = _trace_something(session)
        capabilities: dict[str, str] = dict(session.hooks.capabilities) if session.hooks else {}
        session.stop()
    click.echo("Recording:")
    click.echo(f"  {capabilities.pop('this JAX', 'this JAX could not be watched')}")
    for name, state in capabilities.items():
        click.echo(f"  {'ok ' if state == 'on' else 'no '} {name}{'' if state == 'on' else f' — {state}'}")
    click.echo(f"  {'ok ' if seen else 'no '} a function was traced and compiled, and its ledger said so")
    return seen and all(state == "on" for state in capabilities.values())


def _trace_something(session: Any) -> bool:
    import jax

    from stagelight.model.event import Compiled, Traced
    from stagelight.recorder.ledger_file import ledgers_from

    def twice(x: float) -> float:
        return x * 2

    jax.jit(twice)(1.0)
    kinds = {type(e) for e in ledgers_from([str(session.path)])[0].entries()}
    return {Traced, Compiled} <= kinds


def _persistent_cache(cache: CacheCheck) -> None:
    click.echo("Persistent cache:")
    if cache.is_on:
        megabytes = cache.size_bytes / 1e6
        click.echo(f"  on, {cache.folder}: {cache.entries} entries, {megabytes:.1f} MB")
        for holds, what in (
            (cache.is_writable, "writable"),
            (cache.is_trusted, "trusted"),
            (cache.entries > 0, "warm"),
        ):
            click.echo(f"  {'ok ' if holds else 'no '} {what}")
        if cache.set_before_first_array is not None:
            click.echo(f"  {'ok ' if cache.set_before_first_array else 'no '} set before the first array")
    else:
        click.echo("  off")
    for problem in cache.problems:
        click.echo(f"  {problem}")
