"""Random small JAX programs that change one or two parts of a key, and the causes that they must be told.

A program is drawn and run under ``watch``; the causes of the last miss of its function are compared with the exact set
that its changes have.
"""

import contextlib
import dataclasses
import functools
import os
import random

import jax
import jax.numpy as jnp
import numpy as np

import stagelight

RELEASE = tuple(int(n) for n in jax.__version__.split(".")[:2])


class Config:
    """A static argument that is told apart by identity."""

    def __init__(self, width):
        self.width = width


class Unstable:
    """A static argument that is equal to any other and has a hash of its own."""

    def __eq__(self, other):
        return isinstance(other, Unstable)

    def __hash__(self):
        return id(self)


@functools.partial(jax.tree_util.register_dataclass, data_fields=["w"], meta_fields=["act"])
@dataclasses.dataclass
class Model:
    w: jax.Array
    act: str


class Owner:
    """Has a method that is jitted."""

    def __init__(self, scale):
        self.scale = scale

    def step(self, x):
        return x * self.scale


def make(k, **options):
    """A new function object with the same code."""

    def step(x, pair, model, rate, mode, config, y, n=3, **more):
        total = jnp.sum(x.astype(jnp.float32)) * k + sum(jnp.sum(p) for p in pair) + jnp.sum(model.w) * rate
        return total + y.sum() + n + config.width + sum(more.values()) + len(str(mode)) + len(model.act)

    return jax.jit(step, static_argnames=("mode", "config"), **options)


# Each change: what it chooses otherwise than START, and the causes that this has.
START = {
    "size": 3,
    "dtype": "float32",
    "pair": 1,
    "pair_size": 4,
    "weak": False,
    "act": "relu",
    "mode": "sum",
    "config": 0,
    "y_by_keyword": False,
    "n_written": False,
    "more": 0,
    "object": 0,
    "k": 2.0,
    "precision": None,
    "x64": False,
}
CHANGES = {
    "size": ([4, 5, 9], {"shape-changed"}),
    "dtype": (["int32", "bfloat16"], {"dtype-changed"}),
    "pair": ([2, 3], {"tree-structure-changed"}),
    "pair_size": ([5, 6], {"shape-changed"}),
    "weak": ([True], {"weak-type-changed"}),
    "act": (["tanh", "gelu"], {"tree-metadata-changed"}),
    "mode": (["mean", 1, 1.0, True], {"static-value-changed"}),
    "config": ([1, 2], {"static-object-recreated"}),
    "y_by_keyword": ([True], {"call-convention-changed"}),
    "n_written": ([True], {"call-convention-changed"}),
    "more": ([1, 2], {"argument-count-changed"}),
    "object": ([1, 2], {"function-recreated"}),
    "k": ([3.0], {"function-recreated", "closure-value-changed"}),
    "precision": (["float32", "highest"], {"context-changed"}),
    "x64": ([True], {"context-changed"}),
}
# A Python number is weak, and twice as wide under x64.
IMPOSSIBLE = ({"weak", "x64"}, {"n_written", "x64"})
# A leaf's aval is one part: its shape and its dtype are not combined, they are another aval.
ONE_LEAF = {"size", "dtype"}


class Steps:
    """The functions and objects of one program: made once for each choice, kept alive until it ends."""

    def __init__(self):
        self.functions = {}
        self.configs = [Config(4) for _ in range(3)]

    def call(self, chosen):
        """Call the function as chosen."""
        which = (chosen["object"], chosen["k"])
        step = self.functions.get(which) or self.functions.setdefault(which, make(chosen["k"]))
        x = np.ones(chosen["size"]).astype(jnp.dtype(chosen["dtype"]))
        pair = [np.ones(chosen["pair_size"], np.float32)] * chosen["pair"]
        model = Model(np.ones(7, np.float32), chosen["act"])
        rate = 0.5 if chosen["weak"] else np.float32(0.5)
        y = np.ones(2, np.float32)
        by_name = {f"extra_{n}": np.float32(0) for n in range(chosen["more"])}
        by_name |= {"n": 3} if chosen["n_written"] else {}
        by_name |= {"y": y} if chosen["y_by_keyword"] else {}
        in_order = () if chosen["y_by_keyword"] else (y,)
        with precision(chosen["precision"]), x64(chosen["x64"]):
            step(x, pair, model, rate, chosen["mode"], self.configs[chosen["config"]], *in_order, **by_name)


def precision(name):
    return contextlib.nullcontext() if name is None else jax.default_matmul_precision(name)


def x64(on):
    enable = getattr(jax, "enable_x64", None)
    if enable is None:
        from jax.experimental import enable_x64 as enable
    return enable(True) if on else contextlib.nullcontext()


@dataclasses.dataclass
class Program:
    """One program: what it is called, what it does, and what must be said of its last miss."""

    name: str
    run: object
    causes: set
    ledger: str = "trace"

    def said(self):
        """The causes of the last miss of its function, in its ledger."""
        with stagelight.watch() as ledger:
            self.run()
        misses = [m for m in stagelight.why(ledger).misses if m.function.file == __file__ and m.ledger == self.ledger]
        return {cause.slug for cause in misses[-1].causes} if misses else set()


def random_program(draw: random.Random) -> Program:
    """Draw one: most change one or two parts of one function's key, the others are of kinds of their own."""
    kind = draw.random()
    if kind < 0.6:
        return changed_parts(draw)
    if kind < 0.7:
        return combined_parts(draw)
    return draw.choice(SITUATIONS)(draw)


def changed_parts(draw) -> Program:
    while True:
        names = sorted(draw.sample(sorted(CHANGES), draw.choice((1, 2))))
        if set(names) not in IMPOSSIBLE:
            break
    chosen = {name: draw.choice(CHANGES[name][0]) for name in names}
    causes = set().union(*(CHANGES[name][1] for name in names))

    def run():
        steps = Steps()
        steps.call(START)
        steps.call({**START, **chosen})

    return Program(f"changes {chosen}", run, causes)


def combined_parts(draw) -> Program:
    """Two parts, each changed alone before, then together."""
    apart = sorted(set(CHANGES) - {"object", "k", "more", "y_by_keyword", "n_written", "pair"})
    while True:
        first, second = draw.sample(apart, 2)
        if {first, second} not in (*IMPOSSIBLE, ONE_LEAF):
            break
    chosen = {name: draw.choice(CHANGES[name][0]) for name in (first, second)}

    def run():
        steps = Steps()
        for part in ({}, {first: chosen[first]}, {second: chosen[second]}, chosen):
            steps.call({**START, **part})

    # It is held against the latest of the earlier keys, unless another differs in a lighter part.
    weight = {"act": 3, "precision": 2, "x64": 2, "config": 0.9}
    told = second if weight.get(first, 1) > weight.get(second, 1) else first
    return Program(f"combines {chosen}", run, {"new-combination"} | CHANGES[told][1])


def ones(draw, *, other=0):
    return jnp.ones(draw.choice((3, 4, 6)) + 10 * other)


def double():
    def step(x):
        return x * 2

    return step


def cleared(draw) -> Program:
    x = ones(draw)

    def run():
        step = jax.jit(double())
        step(x)
        if draw.random() < 0.5:
            jax.clear_caches()
        else:
            step.clear_cache()
        step(x)

    return Program("clears caches", run, {"cache-cleared"})


def failed_before(draw) -> Program:
    x = ones(draw)

    def run():
        @jax.jit
        def step(x):
            return x if x.sum() > 0 else -x

        for _ in range(2):
            with contextlib.suppress(jax.errors.TracerBoolConversionError):
                step(x)

    return Program("fails twice", run, {"earlier-trace-failed"})


def first_time(draw) -> Program:
    x = ones(draw)
    return Program("is called once", lambda: jax.jit(double())(x), {"first-trace"})


def mapped(draw) -> Program:
    x = jnp.ones((draw.choice((2, 5)), 3))

    def run():
        step = jax.jit(double())
        step(x)
        jax.vmap(step)(x)

    return Program("is mapped", run, {"under-transformation"})


def inspected(draw) -> Program:
    x, y = ones(draw), ones(draw, other=1)
    look = draw.choice(("eval_shape", "lower", "make_jaxpr"))

    def run():
        step = jax.jit(double())
        step(x)
        if look == "lower":
            step.lower(y)
        elif look == "eval_shape":
            jax.eval_shape(step, y)
        else:
            jax.make_jaxpr(step)(y)

    return Program(f"is inspected by {look}", run, {"inspected"})


def other_owner(draw) -> Program:
    x = ones(draw)

    def run():
        for scale in (2, draw.choice((2, 3))):
            jax.jit(Owner(scale).step)(x)

    return Program("is a method of another object", run, {"method-owner-changed"})


def unstable_hash(draw) -> Program:
    x = ones(draw)

    def run():
        step = jax.jit(lambda x, config: x * 2, static_argnums=1)
        step(x, Unstable())
        step(x, Unstable())

    if RELEASE < (0, 11):  # Older JAX finds the jaxpr again, by ``==``.
        return Program("has an unstable hash", run, {"jaxpr-reused"}, "dispatch")
    return Program("has an unstable hash", run, {"static-hash-unstable"})


def placed(draw) -> Program:
    x = ones(draw)
    devices = jax.devices()
    places, causes = draw.choice(
        [((None, devices[0]), {"committed-changed"})]
        + ([((devices[0], devices[1]), {"device-changed"})] if len(devices) > 1 else [])
    )

    def run():
        step = jax.jit(double())
        for place in places:
            step(x if place is None else jax.device_put(x, place))

    return Program("places its argument otherwise", run, causes, "compile")


def sharded(draw) -> Program:
    if len(jax.devices()) < 2:
        return placed(draw)
    mesh = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
    specs = [jax.sharding.PartitionSpec(), jax.sharding.PartitionSpec("d")]
    draw.shuffle(specs)
    x = jnp.ones(draw.choice((4, 8)))

    def run():
        step = jax.jit(double())
        for spec in specs:
            step(jax.device_put(x, jax.sharding.NamedSharding(mesh, spec)))

    return Program("shards its argument otherwise", run, {"sharding-changed"}, "compile")


def sharded_in_type(draw) -> Program:
    if len(jax.devices()) < 2:
        return placed(draw)
    mesh = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Explicit,))
    specs = [jax.sharding.PartitionSpec(None), jax.sharding.PartitionSpec("d")]
    draw.shuffle(specs)
    x = np.ones(draw.choice((4, 8)), np.float32)

    def run():
        step = jax.jit(double())
        with jax.set_mesh(mesh):
            for spec in specs:
                step(jax.device_put(x, jax.sharding.NamedSharding(mesh, spec)))

    return Program("has another sharding in its type", run, {"sharding-type-changed"})


def other_options(draw) -> Program:
    x = ones(draw)

    def run():
        step = double()
        jax.jit(step)(x)
        jax.jit(step, keep_unused=True, donate_argnums=0)(jnp.copy(x))

    return Program("is jitted with other options", run, {"jit-options-changed"}, "compile")


def host_value(draw) -> Program:
    x = ones(draw)

    def run():
        step = jax.jit(double())
        step(x)
        step(np.asarray(x))

    return Program("is given a NumPy array", run, {"host-array-argument"}, "dispatch")


def bound_again(draw) -> Program:
    x = ones(draw)

    def run():
        owner = Owner(2)
        first, second = owner.step, owner.step
        jax.jit(first)(x)
        jax.jit(second)(x)

    return Program("is an equal method, bound again while the first lives", run, {"jaxpr-reused"}, "dispatch")


def ordered_effects(draw) -> Program:
    x = ones(draw)

    def run():
        @jax.jit
        def step(x):
            jax.debug.callback(lambda: None, ordered=True)
            return x * 2

        step(x)
        jax.block_until_ready(step(x))
        jax.effects_barrier()

    return Program("has ordered effects", run, {"effects-prevent-fast-path"}, "dispatch")


def differentiated(draw) -> Program:
    x = ones(draw)

    def run():
        step = jax.jit(lambda x: (x * x).sum())
        for _ in range(3):
            jax.grad(step)(x)

    return Program("is differentiated eagerly", run, {"tracer-arguments"}, "dispatch")


def warmed_up(draw) -> Program:
    x = ones(draw)

    def run():
        step = jax.jit(double())
        step.lower(x).compile()
        step(x)

    return Program("is warmed up", run, {"first-call-after-warm-up"}, "dispatch")


SITUATIONS = (
    cleared,
    failed_before,
    first_time,
    mapped,
    inspected,
    other_owner,
    unstable_hash,
    placed,
    sharded,
    sharded_in_type,
    other_options,
    host_value,
    bound_again,
    ordered_effects,
    differentiated,
    warmed_up,
)


def with_two_devices() -> None:
    """Ask for two devices on the processor; must run before JAX's backend starts."""
    os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
