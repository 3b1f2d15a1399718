"""The transformations of JAX and its libraries: which make tracers, and of what."""

import enum

import msgspec


class Staging(enum.Enum):
    """What a transformation does to the values inside the function it is given."""

    JIT = "jit"
    """Every JAX operation gives a tracer, and the call has a cache."""
    STAGE = "stage"
    """Every JAX operation gives a tracer; there is no cache of its own."""
    BATCH = "batch"
    """Mapped arguments, and what is computed from them, are tracers."""
    DIFFERENTIATE = "differentiate"
    """Values are concrete under the tracer, so ``if x > 0`` is legal."""
    PLAIN = "plain"
    """The function stays as it was."""


class Transformation(msgspec.Struct, frozen=True, kw_only=True):
    """One function that transforms functions.

    ``is_filtered``: arguments that are not arrays are static by themselves (Equinox, Flax NNX graph objects).
    """

    name: str
    staging: Staging
    is_filtered: bool = False


def _table(staging: Staging, *names: str) -> dict[str, Transformation]:
    return {
        name: Transformation(name=name, staging=staging, is_filtered=name.startswith(("equinox.", "flax.nnx.")))
        for name in names
    }


TRANSFORMATIONS: dict[str, Transformation] = {
    **_table(
        Staging.JIT,
        "jax.jit",
        "jax.pmap",
        "jax.experimental.pjit.pjit",
        "flax.nnx.jit",
        "flax.nnx.pmap",
        "flax.linen.jit",
        "flax.jax_utils.pmap",
        "equinox.filter_jit",
        "equinox.filter_pmap",
        "haiku.jit",
    ),
    **_table(
        Staging.STAGE,
        "jax.checkpoint",
        "jax.make_jaxpr",
        "jax.eval_shape",
        "jax.shard_map",
        "flax.nnx.remat",
        "flax.linen.remat",
        "flax.linen.checkpoint",
        "equinox.filter_checkpoint",
        "equinox.filter_make_jaxpr",
        "equinox.filter_eval_shape",
    ),
    **_table(Staging.BATCH, "jax.vmap", "flax.nnx.vmap", "equinox.filter_vmap", "jax.soft_pmap"),
    **_table(
        Staging.DIFFERENTIATE,
        "jax.grad",
        "jax.value_and_grad",
        "jax.jacfwd",
        "jax.jacrev",
        "jax.jacobian",
        "jax.hessian",
        "flax.nnx.grad",
        "flax.nnx.value_and_grad",
        "equinox.filter_grad",
        "equinox.filter_value_and_grad",
    ),
    **_table(
        Staging.PLAIN,
        "jax.custom_vjp",
        "jax.custom_jvp",
        "jax.custom_gradient",
        "jax.named_call",
        "jax.custom_batching.custom_vmap",
        "equinox.filter_custom_vjp",
        "equinox.filter_custom_jvp",
    ),
}

_RENAMED = {
    "jax.remat": "jax.checkpoint",
    "jax.ad_checkpoint.checkpoint": "jax.checkpoint",
    "jax.ad_checkpoint.remat": "jax.checkpoint",
    "jax.api.jit": "jax.jit",
    "jax.experimental.shard_map.shard_map": "jax.shard_map",
    "jax.partial": "functools.partial",
    "jax.experimental.pjit": "jax.experimental.pjit",
}


def canonical_name(dotted: str) -> str:
    """Return the public name under which the tables know something.

    >>> canonical_name("jax.remat")
    'jax.checkpoint'
    """
    if dotted.startswith("jax._src."):
        dotted = "jax." + dotted[len("jax._src.") :]
    return _RENAMED.get(dotted, dotted)
