"""The call of an explained function in JAX's notation."""

from collections.abc import Mapping, Sequence

import jax

from stagelight.model.aval import Aval, text_from_aval

MAXIMUM_VALUE = 40


class _Shown:
    """A leaf that shows a text, so that containers are written by their own brackets."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def call_text(function: str, arguments: Sequence[object], keywords: Mapping[str, object]) -> str:
    """``f(f32[32,128], mode='sum')``: arrays by their avals, everything else by a short value.

    >>> call_text("f", [2.0, {"w": 1}], {"mode": "sum"})
    "f(2.0, {'w': 1}, mode='sum')"
    """
    positional = [argument_text(a) for a in arguments]
    named = [f"{name}={argument_text(value)}" for name, value in keywords.items()]
    return f"{function}({', '.join([*positional, *named])})"


def argument_text(value: object) -> str:
    """One argument: avals for arrays, short values for the rest; a user's own type by its name only."""
    if isinstance(value, list | tuple | dict):
        return _shortened(repr(jax.tree_util.tree_map(lambda leaf: _Shown(_leaf_text(leaf)), value)))
    return _leaf_text(value)


def _leaf_text(value: object) -> str:
    if isinstance(value, bool | int | float | complex | str | bytes | type(None)):
        return _shortened(repr(value))
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        weak = bool(getattr(value, "weak_type", False))
        return text_from_aval(Aval(tuple(value.shape), str(value.dtype), weak))
    return getattr(value, "__qualname__", None) or f"{type(value).__name__}(…)"


def _shortened(text: str) -> str:
    return text if len(text) <= MAXIMUM_VALUE else text[: MAXIMUM_VALUE - 1] + "…"
