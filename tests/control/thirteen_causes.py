"""Programs that miss for one of the thirteen reasons: each warms a function up, then calls it with one thing changed.

Each is a function that returns two callables: what warms up, and what misses.
"""

import dataclasses

import jax
import jax.numpy as jnp


def shape_changed():
    f = jax.jit(lambda x: x * 2)
    return lambda: f(jnp.ones(4)), lambda: f(jnp.ones(5))


def dtype_changed():
    f = jax.jit(lambda x: x * 2)
    return lambda: f(jnp.ones(4)), lambda: f(jnp.ones(4, jnp.int32))


def weak_type_changed():
    f = jax.jit(lambda x: x * 2)
    return lambda: f(jnp.float32(2)), lambda: f(2.0)


def static_value_changed():
    f = jax.jit(lambda x, n: x * n, static_argnames="n")
    return lambda: f(jnp.ones(4), n=3), lambda: f(jnp.ones(4), n=4)


class Settings:
    """Hashed by identity."""

    def __init__(self, scale):
        self.scale = scale


def static_object_recreated():
    f = jax.jit(lambda x, settings: x * settings.scale, static_argnames="settings")
    return lambda: f(jnp.ones(4), settings=Settings(3)), lambda: f(jnp.ones(4), settings=Settings(3))


def function_recreated():
    def call():
        return jax.jit(lambda x: x * 2)(jnp.ones(4))

    return call, call


def tree_key_added():
    f = jax.jit(lambda params: sum(params.values()))
    return lambda: f({"w": jnp.ones(4)}), lambda: f({"w": jnp.ones(4), "b": jnp.ones(4)})


def list_instead_of_tuple():
    f = jax.jit(lambda pair: pair[0] + pair[1])
    return lambda: f((jnp.ones(4), jnp.ones(4))), lambda: f([jnp.ones(4), jnp.ones(4)])


def keyword_instead_of_position():
    f = jax.jit(lambda x, y: x + y)
    return lambda: f(jnp.ones(4), jnp.ones(4)), lambda: f(jnp.ones(4), y=jnp.ones(4))


def context_changed():
    f = jax.jit(lambda x: x @ x)

    def missed():
        with jax.default_matmul_precision("float32"):
            return f(jnp.ones((4, 4)))

    return lambda: f(jnp.ones((4, 4))), missed


def sharding_changed():
    f = jax.jit(lambda x: x * 2)
    mesh = jax.make_mesh((2,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec

    def placed(where):
        return jax.device_put(jnp.ones(4), jax.sharding.NamedSharding(mesh, where))

    return lambda: f(placed(spec())), lambda: f(placed(spec("data")))


def committed_changed():
    f = jax.jit(lambda x: x * 2)
    return lambda: f(jnp.ones(4)), lambda: f(jax.device_put(jnp.ones(4), jax.devices()[0]))


def cache_cleared():
    f = jax.jit(lambda x: x * 2)

    def missed():
        jax.clear_caches()
        return f(jnp.ones(4))

    return lambda: f(jnp.ones(4)), missed


@dataclasses.dataclass(frozen=True)
class Program:
    """One of them, with the cause that it has."""

    make: object
    slug: str
    ledger: str = "trace"


PROGRAMS = {
    "1 shape": Program(shape_changed, "shape-changed"),
    "2 dtype": Program(dtype_changed, "dtype-changed"),
    "3 weak type": Program(weak_type_changed, "weak-type-changed"),
    "4 static value": Program(static_value_changed, "static-value-changed"),
    "5 static object": Program(static_object_recreated, "static-object-recreated"),
    "6 new function": Program(function_recreated, "function-recreated"),
    "7 tree key": Program(tree_key_added, "tree-structure-changed"),
    "8 list, tuple": Program(list_instead_of_tuple, "tree-structure-changed"),
    "9 keyword": Program(keyword_instead_of_position, "call-convention-changed"),
    "10 context": Program(context_changed, "context-changed"),
    "11a sharding": Program(sharding_changed, "sharding-changed", "compile"),
    "11b committed": Program(committed_changed, "committed-changed", "compile"),
    "12 cache cleared": Program(cache_cleared, "cache-cleared"),
}
