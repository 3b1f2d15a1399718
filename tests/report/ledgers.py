"""Ledger files built from records, as the recorder writes them."""

from pathlib import Path

from stagelight.model.aval import Aval
from stagelight.model.event import (
    Compiled,
    Dispatched,
    DispatchEnded,
    Ended,
    Failed,
    Failure,
    FunctionSeen,
    Lowered,
    NotHandled,
    StructureSeen,
    Traced,
)
from stagelight.model.function import Function
from stagelight.model.ledger import ENCODER, Header, JaxSeen
from stagelight.model.site import Site
from stagelight.model.structure import Structure, TreeNode
from stagelight.model.value import Value

LEAF = TreeNode(kind="*")


def write_ledger(path: Path, *entries: object, header: Header | None = None) -> Path:
    lines = (header or header_of("/home/ada"), JaxSeen(jax="0.12.0.1"), *entries)
    path.write_bytes(b"".join(ENCODER.encode(line) + b"\n" for line in lines))
    return path


def header_of(folder: str, **changes: object) -> Header:
    values: dict = {"stagelight": "0.1.0", "python": "3.13.0", "host": "lovelace", "process": 7} | changes
    return Header(schema=1, folder=folder, program=("train.py",), **values)


def function(number: int = 1, name: str = "step", file: str = "/home/ada/train.py", line: int = 10, own: bool = True):
    return FunctionSeen(function=Function(number=number, name=name, qualname=name, file=file, line=line, own=own))


def structure(*names: str) -> StructureSeen:
    return StructureSeen(
        digest="s" + "-".join(names),
        structure=Structure(arguments=tuple((name, LEAF) for name in names), paths=names),
    )


def traced(
    number: int, *shape: int, function: int = 1, at_s: float = 0.0, mode: str = "", name: str = "x", line: int = 30
):
    site = Site("/home/ada/train.py", line, "main")
    static = (("mode", Value(type_name="str", text=repr(mode), token=repr(mode))),) if mode else ()
    return Traced(
        at_s=at_s,
        trace=number,
        function=function,
        object=function,
        structure=f"s{name}",
        avals=(Aval(shape, "float32"),),
        static=static,
        positional=1,
        call=site,
        user=site,
        trace_s=0.25,
        self_s=0.25,
        thread=140,
    )


def compiled(number: int, *, function: int = 1, at_s: float = 0.3, seconds: float = 0.5, persistent=None):
    site = Site("/home/ada/train.py", 30, "main")
    called = {"dispatch": number, "function": function, "trace": number, "call": site, "user": site, "thread": 140}
    shared = {"module": "jit(step)", **called}
    extra = {} if persistent is None else {"persistent": persistent}
    return (
        Dispatched(at_s=at_s, object=function, **called),
        Lowered(at_s=at_s, lower_s=0.125, **shared),
        Compiled(at_s=at_s + 0.125, compile_s=seconds, **shared, **extra),
        DispatchEnded(at_s=at_s + 0.125 + seconds, dispatch=number, dispatch_s=0.125 + seconds, lowered=1, compiled=1),
    )


def raised(number: int = 1, *, ended: bool = False, expression: str = "x > 0"):
    what = Failure(
        slug="traced-condition",
        error="TracerBoolConversionError",
        message="Attempted boolean conversion",
        site=Site("/home/ada/train.py", 12, "step"),
        column=8,
        expression=expression,
        arguments=("x",),
    )
    failed = Failed(at_s=1.0, failure=number, what=what, function=1)
    return (failed, NotHandled(failure=number)) if ended else (failed,)


def two_shapes(end: bool = True) -> tuple[object, ...]:
    """A function traced for two shapes, each compiled."""
    entries = (
        function(),
        structure("x"),
        traced(1, 32, 128),
        *compiled(1),
        traced(2, 17, 128, at_s=1.0),
        *compiled(2, at_s=1.3),
    )
    return (*entries, Ended(at_s=4.0, inside_s=0.01, exit_code=0)) if end else entries
