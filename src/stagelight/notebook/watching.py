"""A notebook that is watched: one session over all its cells, so that a cell is held against those before it."""

import atexit
import contextlib
import os
from typing import Any

from stagelight.attribution.attributor import Attributor
from stagelight.model.event import CellRun, Ended, Event, Failed, NotHandled
from stagelight.model.ledger import JaxSeen
from stagelight.notebook.cell import Cell
from stagelight.recorder.recording import Recorder
from stagelight.recorder.session import Options, Session
from stagelight.report.account import Account


class NotebookWatch:
    """The session of a notebook.

    Args:
        shell: IPython's shell.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._attributor = Attributor()
        self._cell: Cell | None = None
        self._files: dict[str, int] = {}
        self._last_failure = 0
        self._session: Session | None = None

    def start(self) -> None:
        """Begin to watch."""
        self._session = Session.temporary(Options(program=("notebook",)), prefix="stagelight-notebook-")
        self._session.when_attached(self._listen)
        self._session.start()
        self._shell.events.register("pre_run_cell", self.before_cell)
        atexit.register(self.stop)

    def stop(self) -> None:
        """End the session; the ledger goes with it."""
        session, self._session = self._session, None
        if session is None:
            return
        atexit.unregister(self.stop)
        with contextlib.suppress(ValueError):
            self._shell.events.unregister("pre_run_cell", self.before_cell)
        session.stop()
        with contextlib.suppress(OSError):
            session.path.unlink()

    def before_cell(self, information: Any) -> None:
        """Note that a cell runs, and whether its text ran before: then what it defines is defined anew.

        Args:
            information: IPython's ``ExecutionInfo``; its ``raw_cell`` is the text.
        """
        raw = information.raw_cell or ""
        number = self._shell.execution_count
        file = str(self._shell.compile.get_code_name(raw, raw, number))
        again = file in self._files
        self._files[file] = number
        recorder = self._session.recorder if self._session is not None else None
        if recorder is None:
            return
        book = recorder.book
        if again:
            book.files_run_again.add(file)
        book.write(CellRun(at_s=book.now_s(), execution=number, file=file, again=again))

    def begin_cell(self) -> None:
        """Collect what is concluded from here on."""
        self._last_failure = 0
        self._cell = Cell(self._attributor.totals())

    def end_cell(self, *, raised: bool) -> Account:
        """What was concluded since :meth:`begin_cell`.

        Args:
            raised: Whether the cell ended with an error: its last failure was not handled then.
        """
        if raised and self._last_failure:
            self._feed(NotHandled(failure=self._last_failure))
        self._feed(Ended(at_s=0.0))
        cell, self._cell = self._cell or Cell(()), None
        cells = tuple((file, f"cell [{number}]") for file, number in self._files.items())
        return cell.account(self._attributor.totals(), os.getcwd(), cells)

    def _listen(self, recorder: Recorder) -> None:
        recorder.book.readers.append(self._feed)

    def _feed(self, entry: Event | JaxSeen) -> None:
        """Attribute at once, whichever cell runs: later cells are held against all earlier ones."""
        if isinstance(entry, Failed):
            self._last_failure = entry.failure
        for conclusion in self._attributor.feed(entry):
            if self._cell is not None:
                self._cell.take(conclusion)
