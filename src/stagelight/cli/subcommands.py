"""The table of subcommands: name → where its click command is, and its one-line help.

The help stands here so that ``stagelight --help`` imports no subcommand. One line a subcommand; its file has its name.
"""

import msgspec


class Subcommand(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table."""

    name: str
    module: str
    help: str


# The lab is a door of its own, beside the command line.
_ROOMS = {"learn": "stagelight.lab.command"}

SUBCOMMANDS: tuple[Subcommand, ...] = tuple(
    Subcommand(name=name, module=_ROOMS.get(name, f"stagelight.cli.{name}"), help=text)
    for name, text in (
        ("run", "Watch a program, unmodified, and say what was traced again."),
        ("why", "Say why each function was traced or compiled again."),
        ("report", "Write a ledger as one page, or as a trace file."),
        ("diff", "Say what one run traced that another did not."),
        ("check", "Find staging mistakes without running code."),
        ("fix", "Offer repairs that were run on both sides first."),
        ("explain", "Show one function by binding time, beside its program."),
        ("buckets", "Propose bucket edges for the sizes a run sent."),
        ("lock", "Write which specializations a program has, to commit."),
        ("verify", "Fail when a change adds a specialization."),
        ("warm", "Compile what will be called, before a deployment."),
        ("coverage", "Say which served calls a warm-up would have missed."),
        ("doctor", "Say what can be recorded here, and why not the rest."),
        ("rule", "Show the page of a rule or cause."),
        ("learn", "The lab: predict, build, run, repair, keep evidence."),
    )
)
