"""``stagelight learn``: the group of the lab's commands; without one of them, the lesson goes on where it stopped."""

import importlib
from typing import Any

import click

from stagelight.lab.commands.table import COMMANDS

INTERRUPTED = 130
STOPPED = "Stopped. What you did is kept; go on with: stagelight learn"


class LearnGroup(click.Group):
    """A group that imports a command's file only when that command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        return [name for name, _ in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the file that holds the command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        return importlib.import_module(f"stagelight.lab.commands.{cmd_name}").command

    def invoke(self, ctx: click.Context) -> Any:
        """Leave as other programs do: 130 after Ctrl-C, as a shell reports it; 0 where the input ended, as after q."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo(f"\n{STOPPED}", err=True)
            ctx.exit(INTERRUPTED)
        except click.Abort:
            click.echo(STOPPED, err=True)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS))


@click.group(
    cls=LearnGroup,
    invoke_without_command=True,
    epilog="""\b
Examples:
  stagelight learn start            lay the lessons in ./stagelight-lab
  stagelight learn                  go on where you stopped
  stagelight learn list
""",
)
@click.pass_context
def command(context: click.Context) -> None:
    """Learn staging: predict, build, run, repair, and keep evidence.

    The checker is the ledger: your programs run, and what JAX traced and compiled decides. Without a command, the
    lesson goes on where you stopped: it asks for predictions, builds the program, runs it, and then watches the file
    that you repair and checks it whenever you save.
    """
    if context.invoked_subcommand is None:
        importlib.import_module("stagelight.lab.going_on").go_on()
