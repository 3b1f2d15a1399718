"""The LEDGER… argument, the same for each subcommand that reads ledgers."""

from collections.abc import Callable

import click


def ledger_arguments[F: Callable[..., object]](function: F) -> F:
    """Add one or more LEDGER arguments to a command."""
    return click.argument("ledgers", nargs=-1, required=True, metavar="LEDGER...", type=click.Path())(function)
