"""A way to call the command line in a test."""

from click.testing import CliRunner, Result

from stagelight.cli.entry import group


def called(*arguments: str, **environment: str) -> Result:
    """Call the command line in this process; a StagelightError is left for the test to see."""
    return CliRunner().invoke(group, arguments, env=environment or None)
