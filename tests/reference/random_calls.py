"""Random sequences of calls, played on JAX and on the machine alike.

A sequence is plain data, so hypothesis can shrink it. Each world builds its own functions and values from it and
tells, for every event, how often a Python function ran and which error was raised.
"""

import collections
import contextlib
import dataclasses
import functools
import itertools

import numpy as np
from hypothesis import strategies as st

Pair = collections.namedtuple("Pair", "left right")


@dataclasses.dataclass
class Node:
    """A registered container with static data."""

    w: object
    lr: object


class ByValue:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return isinstance(other, ByValue) and self.v == other.v

    def __hash__(self):
        return hash(self.v)


class ById:
    def __init__(self, v):
        self.v = v


class EqualOtherHash:
    """Equal by value, with a hash of its own for each object."""

    numbers = itertools.count()

    def __init__(self, v):
        self.v, self.number = v, next(self.numbers)

    def __eq__(self, other):
        return isinstance(other, EqualOtherHash) and self.v == other.v

    def __hash__(self):
        return self.number


KEPT = ById(0)
STATIC = {
    **{
        repr(v): (lambda v=v: v)
        for v in (1, 2, 1.0, True, False, 0, 0.0, -0.0, "a", "b", None, (1, 2), (1, True), (1.0, 1))
    },
    "nan": lambda: float("nan"),
    "frozenset": lambda: frozenset({1, 2}),
    "by value 1": lambda: ByValue(1),
    "by value 2": lambda: ByValue(2),
    "by id, new": lambda: ById(1),
    "by id, kept": lambda: KEPT,
    "equal, other hash": lambda: EqualOtherHash(1),
    "len": lambda: len,
    "np.float32": lambda: np.float32,
    "np scalar": lambda: np.float32(1),
    "list": lambda: [1],
    "array": lambda: np.ones(2),
}
DTYPES = ("float32", "float64", "int32", "int64", "int8", "uint8", "float16", "bool")
SHAPES = ((), (1,), (3,), (4,), (2, 3), (3, 2), (0,))

leaf = st.one_of(
    st.tuples(st.just("array"), st.sampled_from(DTYPES), st.sampled_from(SHAPES)),
    st.tuples(st.just("numpy"), st.sampled_from(DTYPES), st.sampled_from(SHAPES)),
    st.tuples(st.just("numpy scalar"), st.sampled_from(DTYPES)),
    st.tuples(st.just("python"), st.sampled_from([0, 1, 2, 1.0, 0.5, True, False])),
    st.tuples(st.just("weak array"), st.sampled_from([1, 2, 1.0])),
    st.tuples(st.just("bad"), st.sampled_from(["text", 2**40, "object"])),
)
plain_leaf = leaf.filter(lambda spec: spec[0] != "bad")
tree = st.recursive(
    st.one_of(leaf, plain_leaf, plain_leaf, plain_leaf, st.just(("none",))),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["tuple", "list", "pair", "ordered"]), st.lists(inner, min_size=2, max_size=2)),
        st.tuples(st.just("tuple"), st.lists(inner, max_size=3)),
        st.tuples(st.just("dict"), st.sampled_from(["ab", "ba", "ac", "b"]), st.lists(inner, min_size=2, max_size=2)),
        st.tuples(st.just("node"), st.sampled_from([1, 1.0, True, 2, "a"]), inner),
        st.tuples(st.just("node with list"), inner),
    ),
    max_leaves=3,
)
# Few distinct values, so that a sequence meets the same key again.
common = st.sampled_from(
    [
        ("array", "float32", (3,)),
        ("numpy", "float32", (3,)),
        ("array", "float32", (4,)),
        ("array", "int32", (3,)),
        ("python", 1.0),
        ("python", 2.0),
        ("python", 1),
        ("python", True),
        ("numpy scalar", "float32"),
        ("weak array", 1.0),
        ("tuple", [("python", 1.0), ("python", 1.0)]),
        ("list", [("python", 1.0), ("python", 1.0)]),
        ("dict", "ab", [("python", 1.0), ("python", 1.0)]),
        ("dict", "ba", [("python", 1.0), ("python", 1.0)]),
        ("none",),
        ("node", 1, ("python", 1.0)),
        ("node", True, ("python", 1.0)),
    ]
)
value = st.one_of(common, common, common, tree)
static = st.sampled_from(sorted(STATIC))
static_or_value = st.one_of(st.tuples(st.just("static"), static), value)

CODES = ("two", "option", "star", "keyword only", "two names", "method", "partial", "callable by value")
wrapping = st.fixed_dictionaries(
    {
        "code": st.sampled_from(CODES),
        "static": st.sampled_from(["none", "none", "number", "number", "name", "both", "negative", "first"]),
        "again": st.sampled_from(["new", "new", "same"]),
        "owner": st.sampled_from([0, 1]),
    }
)
call = st.fixed_dictionaries(
    {
        "which": st.integers(0, 2),
        "args": st.one_of(
            st.tuples(value),
            st.tuples(value, static_or_value),
            st.tuples(value, static_or_value),
            st.tuples(static_or_value, static_or_value, static_or_value),
        ),
        "as_keyword": st.booleans(),
        "under": st.sampled_from(["call", "call", *["trace"] * 8, "jit", "vmap", "grad"]),
    }
)
CONTEXTS = (
    {},
    {"enable_x64": True},
    {"numpy_dtype_promotion": "strict"},
    {"default_matmul_precision": "highest"},
    {"numpy_rank_promotion": "raise"},
    {"debug_nans": True},
)
event = st.one_of(
    st.tuples(st.just("call"), call, st.sampled_from([0, 0, 0, 0, *range(len(CONTEXTS))])),
    st.tuples(st.just("call"), call, st.just(0)),
    st.tuples(st.just("call"), call, st.just(0)),
    st.tuples(st.just("again"), st.integers(1, 3)),
    st.tuples(st.just("again"), st.integers(1, 3)),
    st.tuples(st.just("again like"), st.integers(1, 3), st.sampled_from(["call", "trace", "jit"])),
    st.tuples(st.just("wrap"), wrapping, st.integers(0, 2)),
    st.tuples(st.just("drop"), st.integers(0, 2)),
    st.tuples(st.just("clear"), st.integers(0, 2)),
    st.tuples(st.just("clear all")),
)
sequence = st.tuples(st.lists(wrapping, min_size=3, max_size=3), st.lists(event, min_size=8, max_size=14))


def met_in(played):
    """What a sequence covers, in words."""
    wrappings, events = played
    calls = [rest for kind, *rest in events if kind == "call"]
    wrappings = [*wrappings, *(rest[0] for kind, *rest in events if kind == "wrap")]
    found = {f"event {kind}" for kind, *_ in events}
    found |= {f"function {w['code']}" for w in wrappings} | {f"static {w['static']}" for w in wrappings}
    found |= {f"under {spec['under']}" for spec, _ in calls}
    found |= {f"context {', '.join(CONTEXTS[context]) or 'default'}" for _, context in calls}
    found |= {f"convention {'keyword' if spec['as_keyword'] else 'position'}" for spec, _ in calls}
    pending = [arg for spec, _ in calls for arg in spec["args"]]
    while pending:
        kind, *rest = pending.pop()
        found.add(f"value {kind}")
        pending += [r for r in rest if isinstance(r, tuple) and r and isinstance(r[0], str)]
        pending += [inner for r in rest if isinstance(r, list) for inner in r]
    return found


class Owner:
    """The object of bound methods."""

    def __init__(self, world):
        self.world = world

    def method(self, x, n=0):
        self.world.ran()


class CallableByValue:
    """Callable objects that are equal."""

    def __init__(self, world):
        self.world = world

    def __call__(self, x, n=0):
        self.world.ran()

    def __eq__(self, other):
        return isinstance(other, CallableByValue) and self.world is other.world

    def __hash__(self):
        return 7


class World:
    """What a sequence is played on; subclasses bring ``jit``, ``vmap``, ``grad`` and arrays."""

    def __init__(self):
        self.runs = 0
        self.owners = [Owner(self), Owner(self)]
        self.wrapped = [None, None, None]
        self.functions = [None, None, None]
        self.calls = []

    def ran(self):
        self.runs += 1

    def function(self, spec):
        def two(x, n):
            self.ran()

        def option(x, n=3):
            self.ran()

        def star(*args):
            self.ran()

        def keyword_only(x, *, n=1):
            self.ran()

        def two_names(x, y=0, n=0):
            self.ran()

        known = {"two": two, "option": option, "star": star, "keyword only": keyword_only, "two names": two_names}
        if spec["code"] == "method":
            return self.owners[spec["owner"]].method
        if spec["code"] == "callable by value":
            return CallableByValue(self)
        return functools.partial(two_names, n=1) if spec["code"] == "partial" else known[spec["code"]]

    def wrap(self, spec, slot):
        options = {
            "none": {},
            "number": {"static_argnums": 1},
            "name": {"static_argnames": "n"},
            "both": {"static_argnums": (1,), "static_argnames": ("n",)},
            "negative": {"static_argnums": -1},
            "first": {"static_argnums": (0,)},
        }[spec["static"]]
        old = self.functions[slot]
        function = old[1] if spec["again"] == "same" and old and old[0] == spec["code"] else self.function(spec)
        self.functions[slot] = (spec["code"], function)
        self.wrapped[slot] = None
        self.wrapped[slot] = self.jit(function, **options)

    def build(self, spec):
        kind, *rest = spec
        if kind == "static":
            return STATIC[rest[0]]()
        if kind == "bad":
            return object() if rest[0] == "object" else rest[0]
        if kind == "python":
            return rest[0]
        if kind == "none":
            return None
        if kind == "weak array":
            return self.numpy.asarray(rest[0])
        if kind in ("numpy", "array"):
            made = np.ones(rest[1], rest[0])
            return made if kind == "numpy" else self.numpy.asarray(made)
        if kind == "numpy scalar":
            return np.dtype(rest[0]).type(1)
        if kind == "node":
            return Node(self.build(rest[1]), rest[0])
        if kind == "node with list":
            return Node(self.build(rest[0]), [1])
        if kind == "dict":
            return dict(zip(rest[0], map(self.build, rest[1]), strict=False))
        inner = [self.build(s) for s in rest[0]]
        if kind == "ordered":
            return collections.OrderedDict(zip("ba", inner, strict=True))
        return {"tuple": tuple, "list": list, "pair": lambda v: Pair(*v)}[kind](inner)

    def call(self, spec, context):
        wrapped = self.wrapped[spec["which"]]
        if wrapped is None:
            return
        with self.context(CONTEXTS[context]):
            args = [self.build(arg) for arg in spec["args"]]
            kwargs = {"n": args.pop()} if spec["as_keyword"] and len(args) > 1 else {}
            if spec["under"] == "call":
                wrapped(*args, **kwargs)
            elif spec["under"] == "trace":
                wrapped.trace(*args, **kwargs)
            else:
                self.under(spec["under"], lambda a: (wrapped(*([a] if len(args) == 1 else args), **kwargs), a)[1])

    def under(self, transformation, function):
        one = self.numpy.asarray(np.float32(1))
        if transformation == "jit":
            self.jit(function).trace(one)
        elif transformation == "grad":
            self.grad(function)(one)
        else:
            self.vmap(function)(self.numpy.asarray(np.ones(3, np.float32)))

    def play(self, played):
        wrappings, events = played
        told = [self.told(lambda s=s, i=i: self.wrap(s, i)) for i, s in enumerate(wrappings)]
        for kind, *rest in events:
            if kind == "call":
                self.calls.append(rest)
                told.append(self.told(lambda rest=rest: self.call(*rest)))
            elif kind == "again" and self.calls:
                again = self.calls[-min(rest[0], len(self.calls))]
                told.append(self.told(lambda again=again: self.call(*again)))
            elif kind == "again like" and self.calls:
                again, context = self.calls[-min(rest[0], len(self.calls))]
                told.append(self.told(lambda a=again, c=context, u=rest[1]: self.call({**a, "under": u}, c)))
            elif kind == "wrap":
                told.append(self.told(lambda rest=rest: self.wrap(*rest)))
            elif kind == "drop":
                self.wrapped[rest[0]] = self.functions[rest[0]] = None
            elif kind == "clear" and self.wrapped[rest[0]] is not None:
                self.wrapped[rest[0]].clear_cache()
            elif kind == "clear all":
                self.clear_caches()
        return told

    def told(self, action):
        """How often a function ran, and the family of the error."""
        before, error = self.runs, ""
        try:
            action()
        except (TypeError, ValueError, OverflowError) as raised:
            error = next(f.__name__ for f in (OverflowError, ValueError, TypeError) if isinstance(raised, f))
        return self.runs - before, error


class JaxWorld(World):
    def __init__(self):
        import jax
        import jax.numpy

        super().__init__()
        self.jax, self.numpy = jax, jax.numpy
        self.jit, self.vmap, self.grad = jax.jit, jax.vmap, jax.grad

    def clear_caches(self):
        self.jax.clear_caches()

    @contextlib.contextmanager
    def context(self, changes):
        options = {f"jax_{name}": value for name, value in changes.items()}
        before = {name: getattr(self.jax.config, name) for name in options}
        try:
            for name, value in options.items():
                self.jax.config.update(name, value)
            yield
        finally:
            for name, value in before.items():
                self.jax.config.update(name, value)


class MachineWorld(World):
    def __init__(self, version):
        from stagelight.reference import Machine

        super().__init__()
        self.machine = Machine(version)
        self.numpy = self.machine.numpy
        self.jit, self.vmap, self.grad = self.machine.jit, self.machine.vmap, self.machine.grad
        self.machine.registry.register_dataclass(Node, ("w",), ("lr",))

    def clear_caches(self):
        self.machine.clear_caches()

    def context(self, changes):
        return self.machine.settings(**{name: v for name, v in changes.items() if name != "debug_nans"})


def register_with_jax():
    """Let JAX know the container, once a process."""
    import jax

    with contextlib.suppress(ValueError):
        jax.tree_util.register_dataclass(Node, data_fields=["w"], meta_fields=["lr"])
