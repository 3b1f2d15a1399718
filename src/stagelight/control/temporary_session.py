"""A recording that nobody asked to keep."""

import contextlib
import os

from stagelight.recorder.session import Options, Session


def temporary_session(*, calls: bool = False) -> Session:
    """A started recording whose ledger is a temporary file.

    Args:
        calls: Whether to count calls.
    """
    return Session.temporary(Options(calls=calls)).start()


def end_temporary_session(session: Session) -> None:
    """End it, and remove its ledger."""
    session.stop()
    with contextlib.suppress(OSError):
        os.unlink(session.path)
