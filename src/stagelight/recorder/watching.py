"""``watch``: a session as a ``with`` statement, and the ledger that it gives."""

import contextlib
import os
import sys
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType

from stagelight.model.event import Event
from stagelight.model.ledger import Header, JaxSeen
from stagelight.recorder.ledger_file import ledgers_from
from stagelight.recorder.session import Options, Session


class Ledger:
    """What ``watch`` gives: the record of a block, readable while it is written and after.

    Attributes:
        session: The session that writes it.
    """

    def __init__(self, session: Session, *, temporary: bool):
        self.session = session
        if temporary:
            self._finalizer = weakref.finalize(self, _remove, str(self.path), os.getpid())

    @property
    def path(self) -> Path:
        """The file, with all that was recorded so far in it. A temporary one goes with this object."""
        return self.session.path

    @property
    def header(self) -> Header:
        """First line of the file."""
        return ledgers_from([str(self.path)])[0].header

    def entries(self) -> Iterator[Event | JaxSeen]:
        """Every entry so far, in the order in which it happened."""
        yield from ledgers_from([str(self.path)])[0].entries()


def _remove(path: str, process: int) -> None:
    if os.getpid() != process:  # a forked child ends: the file is its parent's
        return
    with contextlib.suppress(OSError):
        os.unlink(path)


def watch(
    path: str | os.PathLike[str] | None = None,
    *,
    own: Iterable[str] = (),
    redact: bool = False,
    calls: bool = False,
    live: bool = False,
    force: bool = False,
) -> "Watching":
    """Record what JAX traces, compiles and dispatches slowly in a block.

    Works whether JAX was imported before or is imported inside. Functions jitted before the block are seen too. The
    block's program is not changed: nothing is wrapped, and cached calls stay on JAX's fast path.

    Args:
        path: Keep the ledger here; without it, a temporary file is used that goes with the ledger object.
        own: Names of installed packages that count as the user's own code.
        redact: Keep values (static arguments, captured values, messages) out of the ledger.
        calls: Count every call, cached ones too, at about half a microsecond to a microsecond a call.
        live: Print one line on standard error at each avoidable miss. ``STAGELIGHT_LIVE=1`` does the same.
        force: Replace ``path`` if it is there.

    Returns:
        A context manager; entering it gives the ``Ledger``: pass it to ``stagelight.why`` or ``stagelight.show``.

    Raises:
        UsageError: ``path`` is there already, or cannot be written.

    Example:
        >>> import jax, jax.numpy as jnp, stagelight
        >>> @jax.jit
        ... def double(x):
        ...     return x * 2
        >>> with stagelight.watch() as ledger:
        ...     _ = double(jnp.ones(3)), double(jnp.ones(4))
        >>> [m.causes[0].slug for m in stagelight.why(ledger).misses if m.ledger == "trace" and m.function.own]
        ['first-trace', 'shape-changed']
    """
    own = (own,) if isinstance(own, str) else tuple(own)
    options = Options(own=own, redact=redact, calls=calls, live=live, program=tuple(sys.argv))
    if path is not None:
        return Watching(Session(path, options, force=force), temporary=False)
    return Watching(Session.temporary(options), temporary=True)


class Watching:
    """A session as a ``with`` statement; made by ``watch``."""

    def __init__(self, session: Session, *, temporary: bool):
        self._session = session
        self._temporary = temporary

    def __enter__(self) -> Ledger:
        self._session.start()
        # Kept here too: without `as`, a temporary ledger would go before the block ends.
        self._ledger = Ledger(self._session, temporary=self._temporary)
        return self._ledger

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._session.stop(error)
