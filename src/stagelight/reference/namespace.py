"""The namespaces of the machine: tables of what it models; any other name is refused."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from stagelight.reference import control_flow, staging_error
from stagelight.reference.aval import settings
from stagelight.reference.operand import Operand
from stagelight.reference.operations.arithmetic import ARITHMETIC, stop_gradient
from stagelight.reference.operations.rearrangement import OF_ARRAYS, OF_OTHERS
from stagelight.reference.pytree import Registry
from stagelight.reference.trace import operand_of

if TYPE_CHECKING:
    from stagelight.reference.machine import Machine

_CONSTANTS = {"ndarray": Operand, "newaxis": None, "pi": 3.141592653589793, "inf": float("inf"), "nan": float("nan")}
_TRANSFORMATIONS = "jit make_jaxpr grad value_and_grad vmap clear_caches numpy lax"


class Namespace:
    """Names and what they stand for on the machine."""

    def __init__(self, name: str, contents: dict[str, Any]) -> None:
        self.__name__ = name
        self.__dict__.update(contents)

    def __getattr__(self, name: str) -> NoReturn:
        what = f"{self.__name__}.{name}"
        raise AttributeError(name) if name.startswith("__") else staging_error.NotModelledError(what)


def _named(holder: Any, names: str) -> dict[str, Any]:
    return {name.rstrip("_"): getattr(holder, name) for name in names.split()}


def _of_array(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *args, **kwargs: function(operand_of(x), *args, **kwargs)


def numpy_namespace() -> Namespace:
    """What stands for ``jax.numpy``; the operators and methods of an operand call it too."""
    of_arrays = {name: _of_array(function) for name, function in (ARITHMETIC | OF_ARRAYS).items()}
    return Namespace("jax.numpy", {**of_arrays, **OF_OTHERS, **_CONSTANTS, "bool_": OF_OTHERS["bool"]})


def lax_namespace(registry: Registry) -> Namespace:
    """What stands for ``jax.lax``."""
    flow = _named(control_flow, "cond switch while_loop fori_loop scan")
    contents: dict[str, Any] = {name: functools.partial(function, registry) for name, function in flow.items()}
    return Namespace("jax.lax", contents | {"stop_gradient": lambda x: stop_gradient(x)})


def jax_namespace(machine: "Machine") -> Namespace:
    """What stands for ``jax``."""
    errors = {name: error for name, error in vars(staging_error).items() if name.endswith("Error")}
    contents = {
        **_named(machine, _TRANSFORMATIONS),
        "Array": Operand,
        "errors": Namespace("jax.errors", errors),
        "enable_x64": lambda enabled=True: settings(enable_x64=enabled),
    }
    return Namespace("jax", contents)
