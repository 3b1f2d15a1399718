"""The arguments of one call by the names that the user gave them."""

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

import msgspec


class CallArguments(msgspec.Struct, frozen=True, gc=False):
    """Arguments of a call, split the way ``jax.jit`` splits them.

    Attributes:
        static: Static arguments by name.
        dynamic_names: Name of each dynamic argument, positional ones first.
        positional: Number of positional arguments, static ones included.
        keywords: Names of all keyword arguments, sorted.
    """

    static: dict[str, Any]
    dynamic_names: tuple[str, ...]
    positional: int
    keywords: tuple[str, ...]


def call_arguments(
    fun: Any, args: Sequence[Any], kwargs: Mapping[str, Any], jit: Any, dynamic_keywords: Sequence[str]
) -> CallArguments:
    """Split and name the arguments of one call.

    Args:
        fun: The callable, whose code names the arguments where it is a plain function.
        args: Positional arguments.
        kwargs: Keyword arguments.
        jit: Options of the jit (``PjitInfo``): its static arguments and signature.
        dynamic_keywords: Names of the dynamic keyword arguments in JAX's order.
    """
    if not (kwargs or getattr(jit, "static_argnums", ()) or getattr(jit, "static_argnames", ())):
        return CallArguments({}, names_by_code(fun, jit, len(args)), len(args), ())
    numbers = {n + len(args) if n < 0 else n for n in getattr(jit, "static_argnums", ()) or ()}
    names = set(getattr(jit, "static_argnames", ()) or ())
    positional = positional_names(getattr(jit, "fun_signature", None), len(args))
    static = {positional[i]: a for i, a in enumerate(args) if i in numbers}
    static.update((k, v) for k, v in kwargs.items() if k in names)
    dynamic = [positional[i] for i in range(len(args)) if i not in numbers]
    return CallArguments(static, (*dynamic, *dynamic_keywords), len(args), tuple(sorted(kwargs)))


def names_by_code(fun: Any, jit: Any, count: int) -> tuple[str, ...]:
    """Names of the first ``count`` positional arguments, from the code itself where that is all there is to know."""
    if type(fun) is FunctionType and not fun.__dict__ and count <= fun.__code__.co_argcount:
        return fun.__code__.co_varnames[:count]
    return tuple(positional_names(getattr(jit, "fun_signature", None), count))


def positional_names(signature: Any, count: int) -> list[str]:
    """Names of the first ``count`` positional arguments, ``args[2]`` where they go into a star."""
    found: list[str] = []
    for parameter in getattr(signature, "parameters", {}).values():
        if len(found) == count:
            return found
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            found.append(parameter.name)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            found += [f"{parameter.name}[{i}]" for i in range(max(0, count - len(found)))]
    return (found + [f"args[{i}]" for i in range(len(found), count)])[:count]
