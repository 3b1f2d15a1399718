"""The ``stagelight`` command group, its lazy subcommands, and how errors leave the process."""

import importlib
import sys

import click

from stagelight import __version__
from stagelight.cli.subcommands import SUBCOMMANDS
from stagelight.errors import StagelightError


class LazyGroup(click.Group):
    """A group that imports a subcommand's file only when that subcommand is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table, which is the order of a user's day."""
        return [s.name for s in SUBCOMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the file that holds the subcommand; by convention its command object is called ``command``."""
        for s in SUBCOMMANDS:
            if s.name == cmd_name:
                return importlib.import_module(s.module).command
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing any subcommand."""
        with formatter.section("Commands"):
            formatter.write_dl([(s.name, s.help) for s in SUBCOMMANDS])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="stagelight")
def group() -> None:
    """Show the staging boundary of JAX programs: what was traced, why it was traced again, and how to mend it.

    Start with:  stagelight run train.py
    """


def main() -> None:
    """Run the command line; a StagelightError prints its message alone and exits with 2."""
    try:
        group.main(prog_name="stagelight")
    except StagelightError as error:
        click.echo(f"stagelight: {error}", err=True)
        sys.exit(2)
