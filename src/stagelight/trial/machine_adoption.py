"""Functions that were written for JAX, with the reference machine's namespaces in place of JAX's modules."""

import functools
import operator
import os
import types
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from stagelight.adapters.jit_declaration import jit_declaration
from stagelight.reference import Array, Machine, NotModelledError, StagedFunction
from stagelight.reference.aval import DTYPE_NAMES
from stagelight.reference.machine import Namespace

_MODULES = ("jax.numpy", "jax.lax", "jax")
_OF_JAX = ("jax", "jaxlib")
_FILES_OF_JAX = os.path.dirname(jax.__file__) + os.sep


def adopted(machine: Machine, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself, or a copy of it that uses the machine's ``jax``, ``jnp`` and ``lax``.

    What it reaches by a global name or a closure is adopted too: functions, functions under ``jax.jit``, arrays, and
    lists, tuples and dicts of them. What else of JAX it reaches is refused by name once it is used.

    Example:
        >>> import jax.numpy as jnp
        >>> machine = Machine()
        >>> double = machine.jit(adopted(machine, lambda x: jnp.add(x, x)))
        >>> print(machine.make_jaxpr(double.function)(1.0))
        { lambda ; a:f32[]. let b:f32[] = add a a in (b,) }
    """
    found = _Adoption(machine).value(function)
    if isinstance(found, types.FunctionType | types.MethodType | functools.partial | StagedFunction):
        return found
    return refusing(f"a callable {type(function).__module__}.{type(function).__qualname__}")


class _Adoption:
    def __init__(self, machine: Machine) -> None:
        self.machine, self.done = machine, dict[int, Any]()
        self.modules = {"jax": machine.jax, "jax.numpy": machine.numpy, "jax.lax": machine.lax}
        named = {"jax": jax, "jax.numpy": jax.numpy, "jax.lax": jax.lax}
        # `from jax.numpy import sin` and `from jax import jit` leave no module to replace.
        self.known = {
            id(getattr(named[name], key)): value
            for name in _MODULES
            for key, value in vars(self.modules[name]).items()
            if callable(getattr(named[name], key, None))
        }

    def value(self, value: Any) -> Any:
        if isinstance(value, types.ModuleType):
            return self.module(value)
        if id(value) in self.known:
            return self.known[id(value)]
        if type(value) in (list, tuple, dict):
            return self.container(value)
        if isinstance(value, types.MethodType):
            function = self.value(value.__func__)
            return value if function is value.__func__ else types.MethodType(function, value.__self__)
        if type(value) is functools.partial:
            return functools.partial(
                self.value(value.func), *self.container(value.args), **self.container(value.keywords)
            )
        if isinstance(value, types.FunctionType) and value.__code__.co_filename.startswith(_FILES_OF_JAX):
            return refusing(f"what a transformation of JAX made of {value.__name__}")
        home = str(getattr(value, "__module__", "") or "").partition(".")[0]
        if home in _OF_JAX and callable(value) and not isinstance(value, type):
            return refusing(f"{value.__module__}.{getattr(value, '__name__', value)}")
        if id(value) not in self.done and self.can_adopt(value):
            self.done[id(value)] = value  # a function that calls itself is met again in here
            self.done[id(value)] = self.replacement(value)
        return self.done.get(id(value), value)

    def can_adopt(self, value: Any) -> bool:
        is_array = isinstance(value, jax.Array) and str(value.dtype) in DTYPE_NAMES
        return is_array or isinstance(value, types.FunctionType) or jit_declaration(value) is not None

    def container(self, values: Any) -> Any:
        """The container itself, where nothing in it is replaced."""
        old = list(values.values() if isinstance(values, dict) else values)
        new = [self.value(value) for value in old]
        if all(map(operator.is_, new, old)):
            return values
        return dict(zip(values, new, strict=True)) if isinstance(values, dict) else type(values)(new)

    def module(self, module: types.ModuleType) -> Any:
        is_other = module.__name__.partition(".")[0] in _OF_JAX and module.__name__ not in self.modules
        return Namespace(module.__name__, {}) if is_other else self.modules.get(module.__name__, module)

    def replacement(self, function: Any) -> Any:
        if isinstance(function, jax.Array):
            return Array(np.asarray(function), weak_type=function.weak_type)
        declared = jit_declaration(function)
        if declared is not None:
            body, numbers, names = declared
            return self.machine.jit(self.value(body), static_argnums=numbers or None, static_argnames=names or None)
        used = {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}
        replaced = {name: new for name, old in used.items() if (new := self.value(old)) is not old}
        cells = tuple(map(self.cell, function.__closure__ or ()))
        if not replaced and all(map(operator.is_, cells, function.__closure__ or ())):
            return function
        names = {**function.__globals__, **replaced}
        copy = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells)
        copy.__kwdefaults__, copy.__qualname__ = function.__kwdefaults__, function.__qualname__
        return copy

    def cell(self, cell: types.CellType) -> types.CellType:
        try:
            new = self.value(cell.cell_contents)
        except ValueError:  # an empty cell
            return cell
        return cell if new is cell.cell_contents else types.CellType(new)


def refusing(name: str) -> Callable[..., Any]:
    """A function that refuses to be called, by the name of what it stands for."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise NotModelledError(name)

    return refuse


def _names(code: types.CodeType) -> list[str]:
    inner = [name for constant in code.co_consts if isinstance(constant, types.CodeType) for name in _names(constant)]
    return [*code.co_names, *inner]
