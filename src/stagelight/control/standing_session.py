"""One recording for the whole process, for what is watched from a line of the program on and has no end."""

import atexit

from stagelight.control.live_attribution import LiveAttribution, live_attribution
from stagelight.control.temporary_session import end_temporary_session, temporary_session
from stagelight.recorder.session import Session

_STANDING: list[Session] = []


def standing_attribution() -> LiveAttribution:
    """What follows the standing recording; it is begun at the first call, and ends with the process."""
    if not _STANDING:
        _STANDING.append(temporary_session())
        atexit.register(end_standing_session)
    return live_attribution(_STANDING[0])


def end_standing_session() -> None:
    """End it and remove its ledger; the next call of ``standing_attribution`` begins another."""
    atexit.unregister(end_standing_session)
    while _STANDING:
        end_temporary_session(_STANDING.pop())
