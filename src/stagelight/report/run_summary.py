"""What ``stagelight run`` says at the end: short, and with the command that says everything."""

from collections.abc import Sequence

from stagelight.recorder.ledger_file import LedgerFile
from stagelight.report.account import Account
from stagelight.report.accounting import account_from_ledgers
from stagelight.report.again import report_command, why_command
from stagelight.report.document import Block, Command, Document
from stagelight.report.why_document import Limits, headline, why_blocks

LIMITS = Limits(functions=5, groups=3, notes=3)


def summary(ledgers: Sequence[LedgerFile]) -> Document:
    """The end of a watched run, as a document.

    Args:
        ledgers: The ledgers that the run wrote.

    Returns:
        Avoidable seconds of total seconds, the time inside Stagelight, functions by cost, for each what changed, where
        and how to stop it, and the commands that open the ledger again.
    """
    return summary_of(account_from_ledgers(ledgers))


def summary_of(account: Account) -> Document:
    """As :func:`summary`, for an account that was made before."""
    blocks: list[Block] = [headline(account)]
    if account.functions:
        blocks += why_blocks(account, limits=LIMITS)
    blocks.append(Command(why_command(account), "All of it:"))
    if account.functions:
        blocks.append(Command(report_command(account), "As a page:"))
    return Document(title="stagelight", blocks=tuple(blocks))
