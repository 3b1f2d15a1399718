"""A small made-up program: calls in the user's terms, as the entries that a recorder would write."""

import dataclasses

from stagelight.attribution.attributor import Attributor
from stagelight.attribution.limits import Limits
from stagelight.model.attribution import Advisory, Cause, FailureFound, Miss
from stagelight.model.aval import Aval
from stagelight.model.event import (
    CacheCleared,
    Compiled,
    ContextSeen,
    Dispatched,
    DispatchEnded,
    Failed,
    Failure,
    FunctionSeen,
    Lowered,
    StructureSeen,
    Traced,
)
from stagelight.model.function import Function
from stagelight.model.placement import Placement
from stagelight.model.site import Site
from stagelight.model.structure import Structure, TreeNode
from stagelight.model.value import Captured, Value

LEAF = TreeNode(kind="*")
HERE = Site("project/train.py", 40, "<module>")
ON_CPU = Placement("array", sharding="single device", devices="cpu:0")


@dataclasses.dataclass(frozen=True)
class Node:
    """A pytree node of a class of the user's own."""

    kind: str
    children: dict
    metadata: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Static:
    """A static argument."""

    value: Value


def f32(*shape, weak=False):
    return Aval(shape, "float32", weak)


def i32(*shape, weak=False):
    return Aval(shape, "int32", weak)


def value(of):
    """A plain value, equal to another one by type and text."""
    return Value(type_name=type(of).__name__, text=repr(of), token=repr(of))


def thing(number, *, compared_by="identity", type_name="Config", **fields):
    """An object with fields: the ``number`` tells it from others, its contents are its fields."""
    text = f"{type_name}({', '.join(f'{name}={v!r}' for name, v in fields.items())})"
    return Value(
        type_name=type_name,
        text=text,
        token=f"#{number}",
        compared_by=compared_by,
        content=text,
        fields=tuple((name, value(v)) for name, v in fields.items()),
    )


def captured(name, of, kind="closure"):
    return Captured(name=name, kind=kind, value=of if isinstance(of, Value) else value(of))


def static(of):
    return Static(of if isinstance(of, Value) else value(of))


def tree_of(argument, path):
    """The tree of one argument, and its leaves by path."""
    if isinstance(argument, Aval):
        return LEAF, [(path, argument)]
    if argument is None:
        return TreeNode(kind="None"), []
    metadata = ()
    match argument:
        case dict():
            kind, items = "dict", [(f"[{key!r}]", child) for key, child in sorted(argument.items())]
        case list() | tuple():
            kind, items = type(argument).__name__, [(f"[{i}]", child) for i, child in enumerate(argument)]
        case Node():
            kind, items = argument.kind, [(f".{key}", child) for key, child in argument.children.items()]
            metadata = tuple(argument.metadata.items())
    below = [tree_of(child, path + key) for key, child in items]
    node = TreeNode(
        kind=kind,
        keys=tuple(key for key, _ in items),
        children=tuple(child for child, _ in below),
        metadata=metadata,
    )
    return node, [leaf for _, leaves in below for leaf in leaves]


class Program:
    """One function of a made-up program, and the attributor that listens."""

    def __init__(self, *, kind="function", parameters=("x", "y", "mode"), limits=None):
        self.attributor = Attributor(limits=limits or Limits())
        self.entries = []
        self.function = Function(
            number=1,
            name="step",
            qualname="step",
            file="project/train.py",
            line=12,
            kind=kind,
            own=True,
            parameters=parameters,
        )
        self.traces = self.dispatches = self.failures = 0
        self.at_s = 0.0
        self.feed(FunctionSeen(function=self.function))

    def feed(self, *entries):
        self.entries += entries
        return [found for entry in entries for found in self.attributor.feed(entry)]

    def clock(self):
        self.at_s += 1.0
        return self.at_s

    def signature(self, arguments):
        """Structure (defined on the way), avals and static arguments of a call."""
        trees, leaves, statics = [], [], []
        for name, argument in arguments.items():
            if isinstance(argument, Static):
                statics.append((name, argument.value))
                continue
            tree, below = tree_of(argument, name)
            trees.append((name, tree))
            leaves += below
        structure = Structure(arguments=tuple(trees), paths=tuple(path for path, _ in leaves))
        digest = str(hash(structure))
        self.feed(StructureSeen(digest=digest, structure=structure))
        return {"structure": digest, "avals": tuple(aval for _, aval in leaves), "static": tuple(statics)}

    def traced(self, *, keywords=(), settings=None, **call):
        """A trace that has not been fed: arguments by name, everything else by field name of ``Traced``."""
        names = {name for name in call if name not in Traced.__struct_fields__ or name == "keywords"}
        arguments = {name: call.pop(name) for name in names & call.keys()}
        arguments = {name: arguments[name] for name in sorted(arguments, key=self.order)}
        settings = settings or {"jax_enable_x64": "False"}
        digest = str(hash(tuple(settings.items())))
        self.feed(ContextSeen(digest=digest, settings=tuple(settings.items())))
        self.traces += 1
        fields = {
            "at_s": self.clock(),
            "trace": self.traces,
            "function": 1,
            "object": 1,
            "positional": len(arguments) - len(keywords),
            "keywords": tuple(sorted(keywords)),
            "context": digest,
            "user": HERE,
            "trace_s": 0.25,
            "self_s": 0.25,
            **self.signature(arguments),
        }
        return Traced(**{**fields, **call})

    def order(self, name):
        parameters = self.function.parameters
        return (parameters.index(name) if name in parameters else len(parameters), name)

    def trace(self, **call):
        """Trace; the causes."""
        (miss,) = [found for found in self.feed(self.traced(**call)) if isinstance(found, Miss)]
        return miss.causes

    def dispatched(self, *, trace=0, placements=(), placement_of=(), tracers=(), effects=(), under=(), **call):
        """A call that left the fast path and has not been fed."""
        options = call.pop("options", ())
        jit = call.pop("jit", 1)
        self.dispatches += 1
        return Dispatched(
            at_s=self.clock(),
            dispatch=self.dispatches,
            function=1,
            trace=trace,
            object=1,
            jit=jit,
            placements=placements,
            placement_of=placement_of,
            options=options,
            tracers=tracers,
            effects=effects,
            under=under,
            user=HERE,
            **self.signature(call),
        )

    def call(self, *, compiles=False, trace=0, lost_fast_path=False, **call):
        """A call that left the fast path, with what was compiled in it; the misses."""
        dispatched = self.dispatched(trace=trace, **call)
        found = self.feed(dispatched)
        if compiles:
            about = {"module": "jit_step", "function": 1, "dispatch": dispatched.dispatch, "trace": self.traces}
            found += self.feed(Lowered(at_s=self.clock(), lower_s=0.5, **about))
            found += self.feed(Compiled(at_s=self.clock(), compile_s=2.0, **about))
        ended = DispatchEnded(
            at_s=self.clock(),
            dispatch=dispatched.dispatch,
            dispatch_s=0.125,
            lowered=int(compiles),
            compiled=int(compiles),
            lost_fast_path=lost_fast_path,
        )
        return [item for item in found + self.feed(ended) if isinstance(item, Miss)]

    def first_call(self, **call):
        """A call that traces and compiles."""
        placing = {name: call.pop(name) for name in ("placements", "jit", "options") if name in call}
        tracing = {name: call.pop(name) for name in ("settings", "keywords") if name in call}
        if "trace_options" in call:
            tracing["options"] = call.pop("trace_options")
        self.trace(**tracing, **call)
        return self.call(compiles=True, trace=self.traces, **placing, **call)

    def clear(self, function=0):
        self.feed(CacheCleared(at_s=self.clock(), function=function, call=HERE))

    def fail(self, *, slug="traced-condition", error="TracerBoolConversionError", trace=None, **what):
        """A failure, of the last trace unless told otherwise."""
        self.failures += 1
        return self.feed(
            Failed(
                at_s=self.clock(),
                failure=self.failures,
                function=1,
                trace=self.traces if trace is None else trace,
                what=Failure(slug=slug, error=error, **what),
            )
        )

    def finish(self):
        return list(self.attributor.finish())

    def advisories(self):
        return [found for found in self.finish() if isinstance(found, Advisory)]

    def found_failures(self):
        return [found for found in self.finish() if isinstance(found, FailureFound)]


def slugs(causes):
    """Slugs of causes or misses, in order."""
    if causes and isinstance(causes[0], Miss):
        return [cause.slug for miss in causes for cause in miss.causes]
    return [cause.slug for cause in causes]


def only(causes) -> Cause:
    """The one cause there is."""
    (cause,) = causes[0].causes if isinstance(causes[0], Miss) else causes
    return cause
