"""Ledgers as a Chrome trace: Perfetto (ui.perfetto.dev) and ``chrome://tracing`` open the file.

Written while reading, in the "JSON Array with metadata" form of the Trace Event Format document of Chromium. Perfetto
keeps 32 bits of a thread's number and takes process 0 for the idle one: both are counted from 1 here.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from stagelight.attribution.attributor import Attributor
from stagelight.model.attribution import Miss
from stagelight.model.event import Compiled, Dispatched, DispatchEnded, Event, FunctionSeen, Lowered, Traced
from stagelight.model.function import Function
from stagelight.model.ledger import JaxSeen
from stagelight.model.site import Site
from stagelight.recorder.ledger_file import LedgerFile
from stagelight.report.collector import paused_collector
from stagelight.report.file_names import relative_name
from stagelight.report.visible import visible

_ENCODE = msgspec.json.Encoder().encode


def write_perfetto(ledgers: Sequence[LedgerFile], write: Callable[[bytes], object]) -> None:
    """Write every trace, lowering, compile and slow dispatch as a slice, and every avoidable miss as an instant.

    Args:
        ledgers: The ledgers, already opened.
        write: Takes each piece of the text.
    """
    write(b'{"displayTimeUnit": "ms", "traceEvents": [\n')
    separator = b""
    threads = itertools.count(1)
    with paused_collector():
        for process, ledger in enumerate(ledgers, start=1):
            for row in _rows(process, ledger, threads):
                write(separator + _ENCODE(row))
                separator = b",\n"
    write(b"\n]}\n")


def _rows(process: int, ledger: LedgerFile, threads: Iterator[int]) -> Iterable[dict[str, object]]:
    header = ledger.header
    name = f"{header.host} {' '.join(header.program)}".strip() or ledger.path
    yield _named("process_name", f"{name} (process {header.process})", process, 0)
    slices = _Slices(process, header.folder, threads)
    attributor = Attributor(process=process)
    for entry in ledger.entries():
        yield from slices.feed(entry)
        for item in attributor.feed(entry):
            if isinstance(item, Miss) and item.avoidable:
                yield slices.instant(item)
    for item in attributor.finish():
        if isinstance(item, Miss) and item.avoidable:
            yield slices.instant(item)
    for order, number in enumerate(slices.threads.values(), start=1):
        yield _named("thread_name", f"thread {order}", process, number)


def _named(what: str, name: str, process: int, thread: int) -> dict[str, object]:
    return {"ph": "M", "pid": process, "tid": thread, "name": what, "args": {"name": visible(name)}}


class _Slices:
    """Events of one process as rows of the trace; ``threads`` holds the number of each thread here."""

    def __init__(self, process: int, folder: str, numbers: Iterator[int]) -> None:
        self.threads: dict[int, int] = {}
        self._numbers = numbers
        self._process = process
        self._folders = (folder,)
        self._functions: dict[int, Function] = {}
        self._open: dict[int, Dispatched] = {}

    def feed(self, entry: Event | JaxSeen) -> Iterable[dict[str, object]]:
        match entry:
            case FunctionSeen():
                self._functions[entry.function.number] = entry.function
            case Traced():
                yield self._slice("trace", entry, entry.trace_s, entry.function, "")
            case Lowered():
                yield self._slice("lower", entry, entry.lower_s, entry.function, entry.module)
            case Compiled():
                yield self._slice("compile", entry, entry.compile_s, entry.function, entry.module)
            case Dispatched():
                self._open[entry.dispatch] = entry
            case DispatchEnded():
                begun = self._open.pop(entry.dispatch, None)
                if begun is not None:
                    yield self._slice("dispatch", begun, entry.dispatch_s, begun.function, "")
            case _:
                pass

    def _slice(
        self, kind: str, entry: Traced | Lowered | Compiled | Dispatched, seconds: float, number: int, module: str
    ) -> dict[str, object]:
        function = self._functions.get(number)
        arguments = {"function": self._defined(function), "from": self._place(entry.user), "module": module}
        return {
            "ph": "X",
            "pid": self._process,
            "tid": self._thread(entry.thread),
            "ts": round(entry.at_s * 1e6, 3),
            "dur": round(seconds * 1e6, 3),
            "cat": kind,
            "name": visible(f"{kind} {function.name if function else module or '?'}"),
            "args": {key: visible(value) for key, value in arguments.items() if value},
        }

    def instant(self, miss: Miss) -> dict[str, object]:
        causes = [f"{cause.slug} {cause.path}: {cause.before} → {cause.after}" for cause in miss.causes]
        return {
            "ph": "i",
            "s": "t",
            "pid": self._process,
            "tid": self._thread(miss.thread),
            "ts": round(miss.at_s * 1e6, 3),
            "cat": "avoidable",
            "name": visible(f"{miss.causes[0].slug} {miss.function.name}"),
            "args": {"causes": [visible(text) for text in causes], "from": visible(self._place(miss.call))},
        }

    def _thread(self, identity: int) -> int:
        if identity not in self.threads:
            self.threads[identity] = next(self._numbers)
        return self.threads[identity]

    def _defined(self, function: Function | None) -> str:
        return self._place(Site(function.file, function.line)) if function else ""

    def _place(self, site: Site) -> str:
        return f"{relative_name(site.file, self._folders)}:{site.line}" if site.file else ""
