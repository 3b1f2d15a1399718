"""Why everything in a ledger happened, asked of a ledger object or a path."""

import os

from stagelight.attribution.whole_ledger import attributions
from stagelight.model.attribution import Attributions
from stagelight.recorder.ledger_file import LedgerFile, ledgers_from
from stagelight.recorder.watching import Ledger


def why(ledger: Ledger | LedgerFile | str | os.PathLike[str]) -> Attributions:
    """Why each trace, compile and slow dispatch of a ledger happened.

    Args:
        ledger: What ``stagelight.watch`` gave, or the path of a ledger file.

    Returns:
        Every miss with its causes, the advisories, the failures, and totals by function; ``stagelight.show`` renders
        it.

    Raises:
        LedgerError: There is no readable ledger at that path.
    """
    if isinstance(ledger, str | os.PathLike):
        ledger = ledgers_from([os.fspath(ledger)])[0]
    return attributions(ledger.entries())
