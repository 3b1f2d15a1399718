"""Functions that were written for JAX, with the machine's namespaces in place of JAX's modules."""

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stagelight.reference.machine import Machine


def adopted(machine: "Machine", function: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself, or a copy of it in which ``jax``, ``jnp`` and ``lax`` are the machine's.

    JAX is recognized by the names of modules, so this imports nothing. Functions that it calls are adopted too.
    """
    return _Adoption(machine).function(function)


class _Adoption:
    def __init__(self, machine: "Machine") -> None:
        self.modules = {"jax": machine.jax, "jax.numpy": machine.numpy, "jax.lax": machine.lax}
        self.done: dict[int, Any] = {}

    def function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not isinstance(function, types.FunctionType):
            return function
        if id(function) in self.done:
            return self.done[id(function)]
        self.done[id(function)] = function
        names = set(_names(function.__code__))
        replaced = {
            name: new
            for name, old in function.__globals__.items()
            if name in names and (new := self.value(old)) is not old
        }
        cells = tuple(
            types.CellType(self.value(cell.cell_contents)) for cell in function.__closure__ or () if _full(cell)
        )
        same = all(a.cell_contents is b.cell_contents for a, b in zip(cells, function.__closure__ or (), strict=False))
        if (replaced or not same) and len(cells) == len(function.__closure__ or ()):
            copy = types.FunctionType(
                function.__code__, {**function.__globals__, **replaced}, function.__name__, function.__defaults__, cells
            )
            copy.__kwdefaults__ = function.__kwdefaults__
            self.done[id(function)] = copy
        return self.done[id(function)]

    def value(self, value: Any) -> Any:
        if isinstance(value, types.ModuleType):
            return self.modules.get(value.__name__, value)
        return self.function(value) if isinstance(value, types.FunctionType) else value


def _full(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  (an empty cell raises)
    except ValueError:
        return False
    return True


def _names(code: types.CodeType) -> list[str]:
    inner = [name for constant in code.co_consts if isinstance(constant, types.CodeType) for name in _names(constant)]
    return [*code.co_names, *inner]
