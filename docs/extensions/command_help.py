"""``{command-help}``: what ``stagelight SUBCOMMAND --help`` prints, for every subcommand of the table."""

import click
from docutils.nodes import Node
from sphinx.util.docutils import SphinxDirective

from stagelight.cli.entry import group
from stagelight.cli.subcommands import SUBCOMMANDS


def help_of(name: str) -> str:
    """The help of one subcommand as it is printed to a terminal of 90 columns."""
    parent = click.Context(group, info_name="stagelight")
    command = group.get_command(parent, name)
    return command.get_help(
        click.Context(command, info_name=name, parent=parent, max_content_width=90, terminal_width=90)
    )


class CommandHelp(SphinxDirective):
    """The directive; it takes nothing."""

    def run(self) -> list[Node]:
        """A section for each subcommand."""
        parts = [f"## stagelight {row.name}\n\n```text\n{help_of(row.name)}\n```" for row in SUBCOMMANDS]
        return self.parse_text_to_nodes("\n\n".join(parts), allow_section_headings=True)


def setup(app) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
