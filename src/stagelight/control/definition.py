"""Where a function that the user names is defined, through whatever wraps it."""

import functools
import os
import types
from typing import Any

from stagelight.errors import UsageError
from stagelight.model.function import Function
from stagelight.recorder.function_registry import definition_line, innermost

type Definition = tuple[str, int, str]

_DEEPEST = 16


def definition_of(function: Any) -> Definition:
    """File, line and qualified name of the innermost Python function, as ``Function`` records hold them.

    Sees through ``jax.jit``, ``functools.partial``, bound methods, ``jax.grad`` and ``jax.vmap``, and the wrappers of
    Flax and Equinox.

    Raises:
        UsageError: There is no Python function inside.
    """
    fun = function
    for _ in range(_DEEPEST):
        if isinstance(fun, functools.partial):
            fun = fun.func
        elif isinstance(fun, types.MethodType):
            fun = fun.__func__
        elif getattr(fun, "__wrapped__", None) is not None:
            fun = fun.__wrapped__
        else:
            break
    code = getattr(innermost(fun)[0], "__code__", None)
    if code is None:
        message = f"{function!r} holds no Python function, so its traces cannot be told apart"
        raise UsageError(message)
    file = code.co_filename if code.co_filename.startswith("<") else os.path.abspath(code.co_filename)
    return file, definition_line(code), code.co_qualname


def definition_from_record(function: Function) -> Definition:
    """The same of a recorded function."""
    return function.file, function.line, function.qualname
