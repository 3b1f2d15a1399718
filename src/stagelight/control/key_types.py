"""Random key types by the names that their dtypes have."""

from typing import Any

_IMPLEMENTATIONS = {"fry": "threefry2x32", "rbg": "rbg", "urbg": "unsafe_rbg"}
PREFIX = "key<"


def key_of(dtype_name: str) -> Any:
    """A random key whose dtype has this name, such as ``key<fry>``."""
    import jax

    tag = dtype_name.removeprefix(PREFIX).removesuffix(">")
    return jax.random.key(0, impl=_IMPLEMENTATIONS.get(tag, "threefry2x32"))
