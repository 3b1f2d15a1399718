"""One recording for a whole test run, each miss with the test that it happened in."""

import difflib
import hashlib
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stagelight.attribution.attributor import Conclusion
from stagelight.control.live_attribution import live_attribution
from stagelight.control.policy import slugs_from
from stagelight.control.violation_text import telling_cause
from stagelight.errors import StagelightError
from stagelight.model.attribution import Miss
from stagelight.model.aval import text_from_aval
from stagelight.model.event import Event, StructureSeen, Traced
from stagelight.model.ledger import ENCODER, JaxSeen
from stagelight.model.test_miss import TestMiss
from stagelight.pytest_plugin.run_report import write_report
from stagelight.pytest_plugin.summary import summary_lines
from stagelight.recorder.recording import Recorder
from stagelight.recorder.session import Options, Session

_MOST_AVALS_SHOWN = 4
_OUTPUT = "stagelight_misses"
_FOLDER = "stagelight_folder"


class Signatures:
    """Texts that are the same for traces that make the same thing, in any process."""

    def __init__(self) -> None:
        self._structures: dict[str, str] = {}
        self._of_trace: dict[int, tuple[str, str]] = {}

    def hear(self, entry: Event | JaxSeen) -> None:
        """Take in an entry of the ledger."""
        if isinstance(entry, StructureSeen):
            self._structures[entry.digest] = hashlib.sha256(ENCODER.encode(entry.structure)).hexdigest()[:16]
        elif isinstance(entry, Traced):
            avals = ", ".join(text_from_aval(aval) for aval in entry.avals)
            static = ", ".join(f"{name}={value.text}" for name, value in entry.static)
            more = "" if len(entry.avals) <= _MOST_AVALS_SHOWN else f", … {len(entry.avals)} leaves"
            shown = ", ".join(text_from_aval(aval) for aval in entry.avals[:_MOST_AVALS_SHOWN]) + more
            full = f"{self._structures.get(entry.structure, '')}({avals}; {static})"
            self._of_trace[entry.trace] = (full, f"{shown}{'; ' if shown and static else ''}{static}")

    def of(self, trace: int) -> tuple[str, str]:
        """The signature of a trace, and what people see of it; empty where the trace is not known."""
        return self._of_trace.get(trace, ("", ""))


class RunRecording:
    """A plugin of its own: registered only where the run asks for it.

    Args:
        config: The configuration of the run.
        folder: Where ledgers go.
        records: Whether tests run in this process; not so in the process that only hands them out (pytest-xdist).
    """

    def __init__(self, config: pytest.Config, folder: Path, *, records: bool):
        self.misses: list[TestMiss] = []
        self._config = config
        self._folder = folder
        self._test, self._phase = "", ""
        self._signatures = Signatures()
        self._session: Session | None = None
        if records:
            worker = getattr(config, "workerinput", {}).get("workerid", "main")
            path = folder / f"pytest-{worker}.jsonl"
            self._session = Session(path, Options(program=("pytest", *map(str, config.args))), force=True).start()
            self._session.when_attached(self._listen)
            live_attribution(self._session).hearers.append(self._hear)

    def _listen(self, recorder: Recorder) -> None:
        recorder.book.readers.append(self._signatures.hear)

    def _hear(self, conclusion: Conclusion) -> None:
        if not isinstance(conclusion, Miss):
            return
        function = conclusion.function
        signature, shown = self._signatures.of(conclusion.trace)
        causes = dict.fromkeys([telling_cause(conclusion).slug, *(c.slug for c in conclusion.causes)])
        self.misses.append(
            TestMiss(
                test=self._test, phase=self._phase, ledger=conclusion.ledger, function=function.name,
                file=function.file, line=function.line, own=function.own, seconds=conclusion.seconds,
                causes=tuple(causes), shown=shown,
                signature=f"{function.file}:{function.line} {function.qualname} {signature}" if signature else "",
            )
        )  # fmt: skip

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Fixtures run now, those of a wider scope included."""
        self._test, self._phase = item.nodeid, "setup"
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """The test itself runs now; a budget that passed because another test had traced the function says so."""
        self._test, self._phase = item.nodeid, "call"
        before = len(self.misses)
        try:
            return (yield)
        finally:
            for note in self._warmed_elsewhere(item, before):
                item.add_report_section("call", "stagelight", note)
                self._notes.append(note)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Fixtures end now."""
        self._phase = "teardown"
        try:
            return (yield)
        finally:
            self._test = self._phase = ""

    @property
    def _notes(self) -> list[str]:
        return self._config.stash.setdefault(_NOTES, [])

    def _warmed_elsewhere(self, item: pytest.Item, before: int) -> list[str]:
        names = [m.kwargs["function"] for m in item.iter_markers("max_traces") if m.kwargs.get("function")]
        notes = []
        for name in names:
            if any(m.function == name and m.ledger == "trace" for m in self.misses[before:]):
                continue
            earlier = next((m for m in self.misses[:before] if m.function == name and m.ledger == "trace"), None)
            if earlier is None:
                notes.append(f"{item.nodeid}: max_traces checked nothing, as no {name} was traced{self._near(name)}")
            else:
                place = f"{earlier.test or 'collection'}{f' ({earlier.phase})' if earlier.phase == 'setup' else ''}"
                notes.append(f"{item.nodeid}: {name} was not traced here, {place} had traced it before")
        return notes

    def _near(self, name: str) -> str:
        """A function of a name like the given one, for those who mistyped it."""
        near = difflib.get_close_matches(name, {m.function for m in self.misses if m.ledger == "trace"}, 1)
        return f"; did you mean {near[0]}?" if near else ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End the recording; a worker of pytest-xdist hands over what it saw."""
        if self._session is not None:
            self._session.stop()
            self._session = None
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = msgspec.json.encode((self.misses, self._notes)).decode()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """A worker of pytest-xdist starts: its ledger goes beside the others."""
        node.workerinput[_FOLDER] = str(self._folder)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """A worker of pytest-xdist ended; one that crashed hands over nothing."""
        handed = getattr(node, "workeroutput", {}).get(_OUTPUT)
        if handed:
            misses, notes = msgspec.json.decode(handed, type=tuple[list[TestMiss], list[str]])
            self.misses += misses
            self._notes.extend(notes)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Sum up, and write the page."""
        terminalreporter.section("stagelight")
        for line in summary_lines(self.misses, self._notes):
            terminalreporter.write_line(line)
        report = self._config.getoption("stagelight_report")
        if report:
            try:
                terminalreporter.write_line(write_report(self._folder, Path(report)))
            except (StagelightError, OSError) as error:
                terminalreporter.write_line(f"No report was written: {error}", red=True)


_NOTES: pytest.StashKey[list[str]] = pytest.StashKey()


def run_recording(config: pytest.Config) -> RunRecording:
    """The recording that a run asks for; its options are checked here.

    Raises:
        UsageError: ``--stagelight-fail-on`` names a cause that does not exist.
    """
    try:
        slugs_from("--stagelight-fail-on", config.getoption("stagelight_fail_on", None) or "")
    except StagelightError as error:
        raise pytest.UsageError(str(error)) from None
    worker = getattr(config, "workerinput", None)
    hands_out = worker is None and config.getoption("dist", "no") != "no"
    return RunRecording(config, _folder_of(config, worker), records=not hands_out)


def _folder_of(config: pytest.Config, worker: dict[str, Any] | None) -> Path:
    if worker is not None:
        return Path(worker[_FOLDER])
    kept = config.getoption("stagelight_ledger", None)
    if kept is None:
        folder = tempfile.TemporaryDirectory(prefix="stagelight-pytest-")
        config.add_cleanup(folder.cleanup)
        return Path(folder.name)
    path = Path(kept).absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise pytest.UsageError(f"--stagelight-ledger {kept}: {error.strerror}") from None
    for stale in path.glob("pytest-*.jsonl"):  # of an earlier run with more workers
        stale.unlink()
    return path
