"""One watched run, from the first import of JAX to its end."""

import contextlib
import datetime
import os
import platform
import socket
import sys
import tempfile
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from stagelight import __version__
from stagelight.adapters.chooser import hooks_for_jax
from stagelight.adapters.fast_path import empty_fast_path
from stagelight.adapters.installation import installed_folders, jaxlib_version
from stagelight.errors import UsageError
from stagelight.model.event import Ended
from stagelight.model.ledger import SCHEMA, Header, JaxSeen
from stagelight.recorder.before_recording import note_what_was_before
from stagelight.recorder.book import Book
from stagelight.recorder.import_hook import AfterImport
from stagelight.recorder.kept_programs import KeptPrograms
from stagelight.recorder.live import LiveLines
from stagelight.recorder.monitoring_tool import MonitoringTool
from stagelight.recorder.ownership import Ownership
from stagelight.recorder.recording import Gate, Recorder
from stagelight.recorder.writer import LedgerWriter

LIVE_VARIABLE = "STAGELIGHT_LIVE"


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to watch.

    Attributes:
        own: Packages that count as the user's own.
        redact: Keep values out of the ledger.
        calls: Count every call.
        programs: Keep each compiled program in this folder.
        live: Say each avoidable miss when it happens.
        program: The command line that is watched.
        below: Files that stand below the program on the stack, kept out of its source locations.
        follow: Whether processes that the program starts are recorded too, each in a file beside this one.
    """

    own: tuple[str, ...] = ()
    redact: bool = False
    calls: bool = False
    programs: str = ""
    live: bool = False
    program: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    follow: bool = False


class Session:
    """A watched run of this process.

    Args:
        path: The ledger file to write.
        options: How to watch.
        force: Whether a file that is there may be replaced.
        lazy: Make the file only when there is something to tell.
        durable: Write each entry at once; see ``LedgerWriter``.

    Raises:
        UsageError: The file is there, or cannot be written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        options: Options | None = None,
        *,
        force: bool = False,
        lazy: bool = False,
        durable: bool = True,
    ):
        self.options = options or Options()
        header = header_of_this_process(self.options)
        self.writer = LedgerWriter(path, header, force=force, lazy=lazy, durable=durable)
        self.recorder: Recorder | None = None
        self.hooks: Any = None
        self.jit_disabled = False
        self._tool: MonitoringTool | None = None
        self._waiting: AfterImport | None = None
        self._on_attach: list[Callable[[Recorder], None]] = []
        self._began = time.perf_counter()
        self._process = os.getpid()
        self._stopped = False

    @classmethod
    def temporary(cls, options: Options, prefix: str = "stagelight-") -> "Session":
        """A session whose ledger is a temporary file, which whoever makes the session removes when it has stopped."""
        descriptor, path = tempfile.mkstemp(prefix=prefix, suffix=".jsonl")
        os.close(descriptor)
        return cls(path, options, force=True, durable=False)

    @property
    def path(self) -> Path:
        """The ledger file, with all that was recorded so far in it."""
        self.flush()
        return self.writer.path

    def flush(self) -> None:
        """Bring what is recorded so far into the file."""
        with self._lock():
            self.writer.flush()

    def _lock(self) -> contextlib.AbstractContextManager[object]:
        """Held while entries are written, by whatever thread."""
        return self.recorder.book.lock if self.recorder is not None else contextlib.nullcontext()

    def start(self) -> "Session":
        """Begin to record as soon as JAX is imported, or at once.

        Raises:
            UsageError: It began before: a ledger holds one run.
        """
        if self._waiting is not None:
            message = "this watch was entered before: make another with stagelight.watch() for each block"
            raise UsageError(message)
        _ACTIVE.add(self)
        self._waiting = AfterImport("jax", self._attach)
        self._waiting.install()
        return self

    def when_attached(self, callback: Callable[[Recorder], None]) -> None:
        """Call with the recorder once JAX is there, or at once."""
        if self.recorder is not None:
            callback(self.recorder)
        else:
            self._on_attach.append(callback)

    def add_gate(self, gate: Gate) -> None:
        """Let somebody stop JAX before it traces or compiles."""
        self.when_attached(lambda recorder: recorder.gates.append(gate))

    def _attach(self) -> None:
        try:
            self._attach_to_jax()
        except Exception as error:  # the program must not learn of it
            print(f"stagelight: cannot watch this JAX: {type(error).__name__}: {error}", file=sys.stderr)

    def _attach_to_jax(self) -> None:
        import jax

        ownership = Ownership(self.options.own)
        ownership.jax_is_in(installed_folders())
        self.hooks, reason = hooks_for_jax(jax.__version__)
        book = Book(self.writer, ownership, self.hooks, redact=self.options.redact)
        book.started = self._began
        self._tool = MonitoringTool()
        kept = KeptPrograms(self.options.programs) if self.options.programs else None
        self.recorder = Recorder(book, self._tool, calls=self.options.calls, programs=kept)
        self.hooks.keep_out_of_locations(self.options.below)
        self.hooks.install(self.recorder)
        self.hooks.capabilities["failures raised in C++"] = self._tool.state
        self.hooks.capabilities["this JAX"] = reason
        if self.options.live or os.environ.get(LIVE_VARIABLE) == "1":
            book.readers.append(LiveLines().read)
        self.writer.write_when_made(self._jax_seen())
        self.recorder.start()
        for callback in self._on_attach:
            callback(self.recorder)
        note_what_was_before(self.recorder)

    def _jax_seen(self) -> JaxSeen:
        import jax

        return JaxSeen(
            jax=jax.__version__,
            jaxlib=jaxlib_version(),
            capabilities=tuple(self.hooks.capabilities.items()),
            cache_folder=str(getattr(jax.config, "jax_compilation_cache_dir", None) or ""),
        )

    def stop(self, error: BaseException | None = None, exit_code: int | None = None) -> None:
        """End the run: write what only the end tells, and leave JAX as it was found.

        Args:
            error: The exception that ended the program, if one did.
            exit_code: The program's exit code, where known.
        """
        _ACTIVE.discard(self)
        if self._stopped or (self._process != os.getpid() and not self.options.follow):
            return
        self._stopped = True
        if self._waiting is not None:
            self._waiting.remove()
        if self.recorder is not None:
            with contextlib.suppress(Exception):
                self.recorder.finish(error)
            self.hooks.uninstall()
        if self._tool is not None:
            self._tool.release()
        with self._lock():  # a thread that still traces writes before this or not at all
            self.writer.flush()
            self.writer.write_when_made(self._ended(exit_code))
            self.writer.close()

    def _ended(self, exit_code: int | None) -> Ended:
        now_s = time.perf_counter() - self._began
        if self.recorder is None:
            return Ended(at_s=now_s, exit_code=exit_code)
        book = self.recorder.book
        return Ended(
            at_s=now_s,
            inside_s=book.inside_s,
            problems=(*book.problems, *self.writer.problems),
            exit_code=exit_code,
            aot_calls=self.recorder.aot_calls,
            jit_disabled=bool(getattr(sys.modules["jax"].config, "jax_disable_jit", False)),
        )

    def begin_in_forked_child(self) -> None:
        """After a fork the child writes a file of its own beside the parent's, or nothing."""
        self._process = os.getpid()
        self._began = time.perf_counter()
        if not self.options.follow:
            self.writer.broken = "a forked child that is not followed"
            return
        path = child_path(self.path.parent)
        self.writer = LedgerWriter(path, header_of_this_process(self.options), force=True, lazy=True)
        if self.recorder is not None:
            self.writer.write_when_made(self._jax_seen())
            self.recorder.book.begin_in_child(self.writer)


_ACTIVE: "weakref.WeakSet[Session]" = weakref.WeakSet()


def _before_fork() -> None:
    for session in list(_ACTIVE):  # what is held stays readable in the child
        with contextlib.suppress(Exception):
            session.flush()


def _after_fork_in_child() -> None:
    for session in list(_ACTIVE):
        with contextlib.suppress(Exception):
            session.begin_in_forked_child()


os.register_at_fork(before=_before_fork, after_in_child=_after_fork_in_child)


def active_session() -> Session | None:
    """A session that records this process now, if there is one."""
    return next(iter(_ACTIVE), None)


def empty_fast_paths() -> bool:
    """Empty the C++ call caches after a call was stopped on purpose, and let no session take the refilling for a miss.

    Returns:
        Whether this JAX could do it.
    """
    for session in list(_ACTIVE):
        if session.recorder is not None:
            session.recorder.book.fast_paths_emptied += 1
    return empty_fast_path()


def child_path(folder: Path) -> Path:
    """Where this process writes when it was started by a watched one."""
    return folder / f"{time.strftime('%H%M%S')}-{os.getpid()}.jsonl"


def header_of_this_process(options: Options) -> Header:
    """The first line of a ledger of this process."""
    return Header(
        schema=SCHEMA,
        stagelight=__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        host="" if options.redact else socket.gethostname(),
        process=os.getpid(),
        parent_process=os.getppid(),
        started=datetime.datetime.now(datetime.UTC).astimezone().isoformat(timespec="milliseconds"),
        program=options.program[:1] if options.redact else options.program,  # arguments may be secrets
        folder=os.getcwd(),
        own=options.own,
        redacted=options.redact,
        calls=options.calls,
        programs=options.programs,
    )
