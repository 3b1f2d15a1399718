"""Attribute a generated ledger of a million events: time and peak memory of each reader of it.

    python bench/million_events.py                  the whole size, every reader
    python bench/million_events.py --events 100000  a tenth of it

Informs: how much is remembered of each function, and whether a ledger of a week's run can be read on a laptop. Beside
the readers stands what merely decoding the file costs, in the same run; processor seconds stand beside wall seconds,
since they do not depend on what else the machine does.
"""

import argparse
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stagelight.model.aval import Aval
from stagelight.model.event import (
    Compiled,
    ContextSeen,
    Dispatched,
    DispatchEnded,
    FunctionSeen,
    Lowered,
    PersistentCacheUse,
    StructureSeen,
    Traced,
)
from stagelight.model.function import Function
from stagelight.model.ledger import ENCODER, Header, JaxSeen
from stagelight.model.placement import Placement
from stagelight.model.site import Site
from stagelight.model.structure import Structure, TreeNode
from stagelight.model.value import Value

FUNCTIONS = 200
EVENTS_OF_A_TRACE = 3
TRACED_SHARE = 0.33
LEAF = TreeNode(kind="*")
ON_CPU = (Placement("array", sharding="single device", devices="cpu:0"),)
SETTINGS = tuple((f"jax_setting_{n}", "False") for n in range(50))
COMPONENTS = ("program", "jaxlib", "backend", "XLA flags", "compile options", "devices")

DECODE = """
from stagelight.recorder.ledger_file import ledgers_from
import sys
(ledger,) = ledgers_from(sys.argv[1:])
for entry in ledger.entries():
    pass
"""

ATTRIBUTE = """
from stagelight.attribution.attributor import Attributor
from stagelight.recorder.ledger_file import ledgers_from
import sys
(ledger,) = ledgers_from(sys.argv[1:])
attributor = Attributor()
misses = 0
for entry in ledger.entries():
    misses += len(attributor.feed(entry))
misses += len(attributor.finish())
print(misses, "conclusions,", sum(t.specializations for t in attributor.totals()), "specializations")
"""


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--events", type=int, default=1_000_000)
    ask.add_argument("--leaves", type=int, default=8)
    ask.add_argument("--keep", help="write the ledger here and leave it there")
    args = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(args.keep or Path(folder) / "generated.jsonl")
        began = time.perf_counter()
        traces = write(path, args.events, args.leaves)
        print(f"{args.events:,} events, {traces:,} traces of {args.leaves} leaves, {FUNCTIONS} functions")
        print(f"{path.stat().st_size / 1e6:.0f} MB, written in {time.perf_counter() - began:.0f} s")
        print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors\n")
        page = Path(folder) / "page.html"
        stagelight = [sys.executable, "-m", "stagelight"]
        print(f"{'reader':<30}{'wall s':>8}{'CPU s':>8}{'peak MB':>9}{'CPU us an event':>17}")
        for name, command in (
            ("decode only", [sys.executable, "-c", DECODE, str(path)]),
            ("Attributor", [sys.executable, "-c", ATTRIBUTE, str(path)]),
            ("stagelight why --format json", [*stagelight, "why", str(path), "--format", "json"]),
            ("stagelight why", [*stagelight, "why", str(path)]),
            ("stagelight report", [*stagelight, "report", str(path), "-f", "-o", str(page)]),
        ):
            report(name, command, args.events)
        if page.exists():
            print(f"\nthe page: {page.stat().st_size / 1e6:.2f} MB")


def report(name: str, command: list[str], events: int) -> None:
    """Run one reader and print its row."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    if status:
        said = process.stderr.read().decode().strip().splitlines()[-1:] if process.stderr else []
        print(f"{name:<30}failed: {' '.join(said)}")
        return
    peak_mb = peak_bytes(usage) / 1e6
    cpu_s = usage.ru_utime + usage.ru_stime
    print(f"{name:<30}{seconds:>8.1f}{cpu_s:>8.1f}{peak_mb:>9.0f}{cpu_s / events * 1e6:>17.1f}")


def peak_bytes(usage: resource.struct_rusage) -> int:
    """Peak of resident memory; macOS counts bytes, Linux kibibytes."""
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def write(path: Path, events: int, leaves: int) -> int:
    """Write a ledger of about so many events; the number of traces in it."""
    traces = int(events * TRACED_SHARE)
    draw = random.Random(0)
    with path.open("wb") as file:

        def put(entry: object) -> None:
            file.write(ENCODER.encode(entry) + b"\n")

        put(Header(schema=1, stagelight="0.1.0", python=platform.python_version(), program=("train.py",)))
        put(JaxSeen(jax="0.12.0", jaxlib="0.12.0"))
        put(ContextSeen(digest="c1", settings=SETTINGS))
        names = [f"params['layers'][{n}]['w']" for n in range(leaves)]
        for number in range(1, FUNCTIONS + 1):
            put_definitions(put, number, names)
        histories = [FunctionHistory(number, leaves, draw) for number in range(1, FUNCTIONS + 1)]
        for trace in range(1, traces + 1):
            put_trace(put, draw.choice(histories), trace)
        spare = events - traces * EVENTS_OF_A_TRACE - 2 * FUNCTIONS - 3
        for dispatch in range(1, max(spare, 0) // 2 + 1):
            put_slow_call(put, draw.choice(histories), dispatch)
    return traces


class FunctionHistory:
    """What one function was last called with: most traces change one part, some two, some make the function anew."""

    def __init__(self, number: int, leaves: int, draw: random.Random) -> None:
        self.number = number
        self.draw = draw
        self.avals = [Aval((64, 128 + n), "float32") for n in range(leaves)]
        self.rate = 1
        self.object = number
        self.fresh = 0
        self.placed = ON_CPU

    def step(self) -> None:
        kind = self.draw.random()
        self.fresh += 1
        if kind < 0.85:
            for leaf in self.draw.sample(range(len(self.avals)), 1 + (kind < 0.2)):
                self.avals[leaf] = Aval((64 + self.fresh, 128 + leaf), "float32")
        elif kind < 0.95:
            self.rate += 1
        else:
            self.object += FUNCTIONS


def put_definitions(put, number: int, names: list[str]) -> None:
    function = Function(
        number=number,
        name=f"step_{number}",
        qualname=f"step_{number}",
        file=f"project/part_{number % 20}.py",
        line=10 + number,
        own=True,
        parameters=("params", "rate"),
    )
    layers = TreeNode(kind="dict", keys=("['w']",), children=(LEAF,))
    row = TreeNode(kind="list", keys=tuple(f"[{n}]" for n in range(len(names))), children=(layers,) * len(names))
    params = TreeNode(kind="dict", keys=("['layers']",), children=(row,))
    put(FunctionSeen(function=function))
    put(StructureSeen(digest=f"s{number}", structure=Structure(arguments=(("params", params),), paths=tuple(names))))


def put_trace(put, history: FunctionHistory, trace: int) -> None:
    """A trace and the lowering and compile that follow from it."""
    history.step()
    rate = Value(type_name="int", text=str(history.rate), token=str(history.rate))
    user = Site("project/train.py", 40 + history.number, "main")
    put(
        Traced(
            at_s=trace * 0.01,
            trace=trace,
            function=history.number,
            object=history.object,
            earlier_object_alive=True,
            jit=140_000_000 + history.number,
            made_at=Site("project/train.py", 12, "<module>"),
            made_times=1,
            structure=f"s{history.number}",
            avals=tuple(history.avals),
            static=(("rate", rate),),
            positional=2,
            context="c1",
            placements=history.placed,
            call=user,
            user=user,
            trace_s=0.002,
            self_s=0.001,
            equations=40,
            thread=140_712_245_001_088,
        )
    )
    about = {"module": f"jit_step_{history.number}", "function": history.number, "trace": trace, "user": user}
    put(Lowered(at_s=trace * 0.01 + 0.002, lower_s=0.001, **about))
    use = PersistentCacheUse(outcome="miss", components=tuple((name, "0055112d2de5d9f6") for name in COMPONENTS))
    put(Compiled(at_s=trace * 0.01 + 0.003, compile_s=0.005, persistent=use, **about))


def put_slow_call(put, history: FunctionHistory, dispatch: int) -> None:
    """A call that left the fast path, with nothing traced or compiled."""
    put(
        Dispatched(
            at_s=1e6 + dispatch,
            dispatch=dispatch,
            function=history.number,
            jit=140_000_000 + history.number,
            structure=f"s{history.number}",
            avals=tuple(history.avals),
            placements=(Placement("host", "numpy.ndarray"),),
            context="c1",
            user=Site("project/train.py", 60, "main"),
        )
    )
    put(DispatchEnded(at_s=1e6 + dispatch + 0.5, dispatch=dispatch, dispatch_s=0.0001))


if __name__ == "__main__":
    main()
