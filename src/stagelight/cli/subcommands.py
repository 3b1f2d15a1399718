"""The table of subcommands: name → where its click command is, and its one-line help.

The help stands here so that ``stagelight --help`` imports no subcommand. One line a subcommand; its file has its name.
"""

import msgspec


class Subcommand(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table."""

    name: str
    module: str
    help: str


SUBCOMMANDS: tuple[Subcommand, ...] = (
    Subcommand(name="run", module="stagelight.cli.run", help="Watch a program, unmodified, and say what was traced again."),
    Subcommand(name="why", module="stagelight.cli.why", help="Say why each function was traced or compiled again."),
    Subcommand(name="report", module="stagelight.cli.report", help="Write a ledger as one page, or as a trace file."),
    Subcommand(name="diff", module="stagelight.cli.diff", help="Say what one run traced that another did not."),
    Subcommand(name="doctor", module="stagelight.cli.doctor", help="Say what can be recorded here, and why not the rest."),
    Subcommand(name="check", module="stagelight.cli.check", help="Find staging mistakes without running code."),
    Subcommand(name="fix", module="stagelight.cli.fix", help="Offer repairs that were run on both sides first."),
    Subcommand(name="explain", module="stagelight.cli.explain", help="Show one function by binding time, beside its program."),
    Subcommand(name="lock", module="stagelight.cli.lock", help="Write which specializations a program has, to commit."),
    Subcommand(name="verify", module="stagelight.cli.verify", help="Fail when a change adds a specialization."),
    Subcommand(name="warm", module="stagelight.cli.warm", help="Compile what will be called, before a deployment."),
    Subcommand(name="coverage", module="stagelight.cli.coverage", help="Say which served calls a warm-up would have missed."),
    Subcommand(name="buckets", module="stagelight.cli.buckets", help="Propose bucket edges for the sizes a run sent."),
    Subcommand(name="rule", module="stagelight.cli.rule", help="Show the page of a rule or cause."),
)
