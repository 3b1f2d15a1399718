"""Processes that a watched program starts: each records itself into a file of the same folder.

Reached through a ``sitecustomize`` on ``PYTHONPATH``, which fork servers and spawned workers inherit. An interpreter
that is started with ``-I``, ``-E`` or ``-S`` ignores it and is not recorded.
"""

import atexit
import os
import sys
from pathlib import Path

import msgspec

from stagelight.recorder.session import Options, Session, child_path

FOLDER_VARIABLE = "STAGELIGHT_FOLLOW"
OPTIONS_VARIABLE = "STAGELIGHT_FOLLOW_OPTIONS"
_SITE = Path(__file__).parent / "child_site"


def follow_children(folder: Path, options: Options) -> None:
    """Let the processes that this one starts from now on record themselves.

    Args:
        folder: Where they write.
        options: How they watch.
    """
    package = Path(__file__).parent.parent.parent
    before = os.environ.get("PYTHONPATH")
    paths = [str(_SITE), *([before] if before else [])]
    if package.name != "site-packages":  # run from a checkout: the child must find the package too
        paths.append(str(package))
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.environ[FOLDER_VARIABLE] = str(folder.absolute())
    os.environ[OPTIONS_VARIABLE] = msgspec.json.encode(options).decode()


def record_this_child() -> None:
    """Record this process from the moment it imports JAX; called by ``sitecustomize`` when it starts."""
    folder, encoded = os.environ.get(FOLDER_VARIABLE), os.environ.get(OPTIONS_VARIABLE)
    if not folder or not encoded:
        return
    options = msgspec.json.decode(encoded, type=Options)
    options = msgspec.structs.replace(options, program=tuple(sys.orig_argv[1:]))
    session = Session(child_path(Path(folder)), options, force=True, lazy=True).start()
    session.when_attached(lambda _: _stop_at_exit(session))


def _stop_at_exit(session: Session) -> None:
    atexit.register(session.stop)
    if "multiprocessing.util" in sys.modules:
        # Workers leave by os._exit, after running these.
        sys.modules["multiprocessing.util"].Finalize(None, session.stop, exitpriority=-100)
