"""One small program for every cause: its second (or last) call misses for exactly that reason.

A program takes ``stage``, which is ``jax.jit`` with a tool's own decorator between it and the function. ``named`` is
what a text must match to have named the cause: the argument and both values where there are any, or the reason in
any words.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.layout import Format, Layout
from jax.sharding import AxisType, NamedSharding, PartitionSpec, SingleDeviceSharding


@dataclasses.dataclass(frozen=True, kw_only=True)
class Program:
    """A cause, the program that shows it, and a pattern for texts that name it."""

    slug: str
    run: Callable[[Callable], object]
    named: str


ONES = jnp.ones(4)


def shape_changed(stage):
    double = stage(lambda x: x * 2)
    double(jnp.ones(4)), double(jnp.ones(5))


def dtype_changed(stage):
    double = stage(lambda x: x * 2)
    double(jnp.ones(4)), double(jnp.ones(4, jnp.int32))


def weak_type_changed(stage):
    double = stage(lambda x: x * 2)
    double(1.0), double(jnp.float32(1.0))


def sharding_type_changed(stage):
    mesh = jax.make_mesh((2,), ("rows",), axis_types=(AxisType.Explicit,))
    double = stage(lambda x: x * 2)
    for spec in (PartitionSpec("rows"), PartitionSpec(None)):
        double(jax.device_put(ONES, NamedSharding(mesh, spec)))


def tree_structure_changed(stage):
    total = stage(lambda tree: sum(tree.values()))
    total({"a": 1.0}), total({"a": 1.0, "b": 2.0})


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Scaled:
    values: jax.Array
    power: int = dataclasses.field(metadata={"static": True})


def tree_metadata_changed(stage):
    raised = stage(lambda scaled: scaled.values**scaled.power)
    raised(Scaled(ONES, 2)), raised(Scaled(ONES, 3))


def argument_count_changed(stage):
    total = stage(lambda *terms: sum(terms))
    total(ONES), total(ONES, ONES)


def call_convention_changed(stage):
    add = stage(lambda x, y: x + y)
    add(ONES, ONES), add(ONES, y=ONES)


def static_value_changed(stage):
    power = stage(lambda x, exponent: x**exponent, static_argnames="exponent")
    power(ONES, exponent=2), power(ONES, exponent=3)


class Settings:
    def __init__(self, exponent):
        self.exponent = exponent


def static_object_recreated(stage):
    power = stage(lambda x, settings: x**settings.exponent, static_argnames="settings")
    power(ONES, settings=Settings(2)), power(ONES, settings=Settings(2))


class Unsteady(Settings):
    def __eq__(self, other):
        return self.exponent == other.exponent

    def __hash__(self):
        return id(self)


def static_hash_unstable(stage):
    power = stage(lambda x, settings: x**settings.exponent, static_argnames="settings")
    first, second = Unsteady(2), Unsteady(2)
    power(ONES, settings=first), power(ONES, settings=second)


def function_recreated(stage):
    for _ in range(2):
        stage(lambda x: x * 2)(ONES)


def closure_value_changed(stage):
    for factor in (2, 3):
        stage(lambda x: x * factor)(ONES)


class Model:
    def __init__(self, scale):
        self.scale = scale

    def apply(self, x):
        return x * self.scale


def method_owner_changed(stage):
    for _ in range(2):
        stage(Model(2).apply)(ONES)


def context_changed(stage):
    double = stage(lambda x: x * 2)
    double(ONES)
    with jax.default_matmul_precision("highest"):
        double(ONES)


def cache_cleared(stage):
    double = stage(lambda x: x * 2)
    double(ONES)
    jax.clear_caches()
    double(ONES)


def new_combination(stage):
    power = stage(lambda x, exponent: x**exponent, static_argnames="exponent")
    power(jnp.ones(4), exponent=2), power(jnp.ones(5), exponent=3), power(jnp.ones(4), exponent=3)


def earlier_trace_failed(stage):
    limit = []

    def checked(x):
        if not limit:
            raise ValueError("no limit yet")
        return x * limit[0]

    staged = stage(checked)
    try:
        staged(ONES)
    except ValueError:
        limit.append(2)
    staged(ONES)


def under_transformation(stage):
    double = stage(lambda x: x * 2)
    double(ONES), jax.vmap(double)(ONES)


def committed_changed(stage):
    double = stage(lambda x: x * 2)
    double(ONES), double(jax.device_put(ONES, jax.devices()[0]))


def sharding_changed(stage):
    mesh = jax.make_mesh((2,), ("rows",), axis_types=(AxisType.Auto,))
    double = stage(lambda x: x * 2)
    for spec in (PartitionSpec("rows"), PartitionSpec(None)):
        double(jax.device_put(ONES, NamedSharding(mesh, spec)))


def device_changed(stage):
    double = stage(lambda x: x * 2)
    for device in jax.devices()[:2]:
        double(jax.device_put(ONES, device))


def layout_changed(stage):
    double = stage(lambda x: x * 2)
    table = jnp.ones((4, 8))
    for order in ((0, 1), (1, 0)):
        place = SingleDeviceSharding(jax.devices()[0])
        double(jax.device_put(table, Format(Layout(major_to_minor=order), place)))


def jit_options_changed(stage):
    def double(x):
        return x * 2

    stage(double)(ONES), stage(double, donate_argnums=0)(ONES + 1)


def host_array_argument(stage):
    double = stage(lambda x: x * 2)
    double(ONES), double(np.ones(4, np.float32))


def jaxpr_reused(stage):
    model = Model(2)
    # Two bound methods are equal; the first one, still alive, is the key of the jaxpr.
    first, second = model.apply, model.apply
    stage(first)(ONES), stage(second)(ONES)


def effects_prevent_fast_path(stage):
    def show(x):
        jax.debug.print("", ordered=True)
        return x * 2

    staged = stage(show)
    staged(ONES), staged(ONES)


def tracer_arguments(stage):
    double = stage(lambda x: (x * 2).sum())
    jax.grad(double)(ONES), jax.grad(double)(ONES)


def fast_path_lost(stage):
    failing = [True]

    def once(x):
        if failing:
            raise ValueError("first time")
        return x * 2

    staged = stage(once)
    try:
        staged(ONES)
    except ValueError:
        failing.clear()
    for _ in range(3):
        staged(ONES)


def first_call_after_warm_up(stage):
    double = stage(lambda x: x * 2)
    double.lower(ONES).compile()
    double(ONES)


RECREATED = r"re-?defined|recreated|defined inside another function|new function"

PROGRAMS = (
    Program(slug="shape-changed", run=shape_changed, named=r"f32\[4\].*f32\[5\]|f32\[5\].*f32\[4\]"),
    Program(slug="dtype-changed", run=dtype_changed, named=r"f32\[4\].*i32\[4\]|i32\[4\].*f32\[4\]"),
    Program(slug="weak-type-changed", run=weak_type_changed, named=r"weak"),
    Program(slug="sharding-type-changed", run=sharding_type_changed, named=r"rows"),
    Program(slug="tree-structure-changed", run=tree_structure_changed, named=r"'b'|\bb\b.*(added|key)"),
    Program(slug="tree-metadata-changed", run=tree_metadata_changed, named=r"power.*\b[23]\b.*\b[23]\b|\b3\b.*\b2\b"),
    Program(slug="argument-count-changed", run=argument_count_changed, named=r"\b1\b.*\b2\b|\b2\b.*\b1\b"),
    Program(slug="call-convention-changed", run=call_convention_changed, named=r"by keyword|by name|convention"),
    Program(slug="static-value-changed", run=static_value_changed, named=r"exponent.*(\b2\b.*\b3\b|\b3\b.*\b2\b)"),
    Program(
        slug="static-object-recreated", run=static_object_recreated, named=r"equal by value|same attributes|by identity"
    ),
    Program(slug="static-hash-unstable", run=static_hash_unstable, named=r"hash differs|another hash|hash-unstable"),
    Program(slug="function-recreated", run=function_recreated, named=RECREATED),
    Program(slug="closure-value-changed", run=closure_value_changed, named=r"factor.*(\b2\b.*\b3\b|\b3\b.*\b2\b)"),
    Program(slug="method-owner-changed", run=method_owner_changed, named=r"bound method|owner"),
    Program(slug="context-changed", run=context_changed, named=r"matmul_precision"),
    Program(slug="cache-cleared", run=cache_cleared, named=r"cache-cleared|clear_caches|caches? (was|were) cleared"),
    Program(slug="new-combination", run=new_combination, named=r"combination|together"),
    Program(slug="earlier-trace-failed", run=earlier_trace_failed, named=r"raised|failed"),
    Program(slug="under-transformation", run=under_transformation, named=r"vmap|transformation"),
    Program(slug="committed-changed", run=committed_changed, named=r"committed"),
    Program(slug="sharding-changed", run=sharding_changed, named=r"rows"),
    Program(slug="device-changed", run=device_changed, named=r"device.*\b1\b|cpu:1|CpuDevice\(id=1\)"),
    Program(slug="layout-changed", run=layout_changed, named=r"layout|major_to_minor"),
    Program(slug="jit-options-changed", run=jit_options_changed, named=r"donat"),
    Program(slug="host-array-argument", run=host_array_argument, named=r"numpy|host|ndarray"),
    Program(slug="jaxpr-reused", run=jaxpr_reused, named=r"reused|wrapper"),
    Program(slug="effects-prevent-fast-path", run=effects_prevent_fast_path, named=r"effect"),
    Program(slug="tracer-arguments", run=tracer_arguments, named=r"tracer|grad"),
    Program(slug="fast-path-lost", run=fast_path_lost, named=r"fast[- ]path"),
    Program(slug="first-call-after-warm-up", run=first_call_after_warm_up, named=r"warm-up|ahead of time"),
)
