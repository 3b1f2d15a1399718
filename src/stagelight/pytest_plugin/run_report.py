"""The page of a test run, from the ledgers of its processes."""

from pathlib import Path

from stagelight.recorder.ledger_file import ledgers_from
from stagelight.report.accounting import account_from_ledgers
from stagelight.report.html import page_html


def write_report(folder: Path, path: Path) -> str:
    """Write the page; what to say of it.

    Raises:
        LedgerError: The folder holds no ledger.
        OSError: The page cannot be written.
    """
    account = account_from_ledgers(ledgers_from([str(folder)]), timeline=True, specializations=True)
    path.write_text(page_html(account), "utf-8", "replace")
    return f"Wrote {path}."
