"""Functions that were written for JAX, with the machine's namespaces in place of JAX's modules."""

import operator
import types
from collections.abc import Callable
from typing import Any


def adopted(jax: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself, or a copy of it in which ``jax``, ``jnp`` and ``lax`` are the machine's.

    JAX is recognized by the names of modules, so this imports nothing. Functions that it calls are adopted too.
    """
    return _Adoption(jax).value(function)


class _Adoption:
    def __init__(self, jax: Any) -> None:
        self.modules = {"jax": jax, "jax.numpy": jax.numpy, "jax.lax": jax.lax}
        self.done: dict[int, Any] = {}

    def value(self, value: Any) -> Any:
        if isinstance(value, types.ModuleType):
            return self.modules.get(value.__name__, value)
        if isinstance(value, types.FunctionType) and id(value) not in self.done:
            self.done[id(value)] = value  # a function that calls itself is met again in here
            self.done[id(value)] = self.function(value)
        return self.done.get(id(value), value)

    def function(self, function: types.FunctionType) -> types.FunctionType:
        used = {name: function.__globals__.get(name) for name in _names(function.__code__)}
        replaced = {name: new for name, old in used.items() if (new := self.value(old)) is not old}
        cells = tuple(map(self.cell, function.__closure__ or ()))
        if not replaced and all(map(operator.is_, cells, function.__closure__ or ())):
            return function
        names = {**function.__globals__, **replaced}
        copy = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells)
        copy.__kwdefaults__ = function.__kwdefaults__
        return copy

    def cell(self, cell: types.CellType) -> types.CellType:
        try:
            new = self.value(cell.cell_contents)
        except ValueError:  # an empty cell
            return cell
        return cell if new is cell.cell_contents else types.CellType(new)


def _names(code: types.CodeType) -> list[str]:
    inner = [name for constant in code.co_consts if isinstance(constant, types.CodeType) for name in _names(constant)]
    return [*code.co_names, *inner]
