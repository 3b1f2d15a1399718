"""The namespaces of the machine: tables of what it models; any other name is refused."""

from typing import TYPE_CHECKING, Any, NoReturn

from stagelight.reference import staging_error
from stagelight.reference.control_flow import ControlFlow
from stagelight.reference.operand import Operand
from stagelight.reference.operations import arithmetic, creation, elementwise, rearrangement, reduction
from stagelight.reference.staging_error import refuse
from stagelight.reference.trace_context import settings

if TYPE_CHECKING:
    from stagelight.reference.machine import Machine

_ARITHMETIC = "where clip astype broadcast_to power reciprocal remainder floor isnan isfinite"
_REARRANGEMENT = "reshape ravel transpose expand_dims squeeze concatenate stack unstack take_index dot matmul"
_CREATION = "full full_like zeros zeros_like ones ones_like arange asarray array"
_TRANSFORMATIONS = "jit make_jaxpr grad value_and_grad vmap clear_caches"
_ERRORS = (
    "ConcretizationTypeError TracerBoolConversionError TracerIntegerConversionError TracerArrayConversionError "
    "NonConcreteBooleanIndexError UnexpectedTracerError"
)


class Namespace:
    """Names and what they stand for on the machine."""

    def __init__(self, name: str, contents: dict[str, Any]) -> None:
        self.__name__ = name
        self.__dict__.update(contents)

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(name) if name.startswith("__") else refuse(f"{self.__name__}.{name}")


def _named(holder: Any, names: str) -> dict[str, Any]:
    return {name: getattr(holder, name) for name in names.split()}


def numpy_namespace() -> Namespace:
    """What stands for ``jax.numpy``; the operators and methods of an operand call it too."""
    contents = {
        **arithmetic.UFUNCS,
        **_named(arithmetic, _ARITHMETIC),
        **_named(rearrangement, _REARRANGEMENT),
        **_named(creation, _CREATION),
        **reduction.REDUCTIONS,
        **{scalar.dtype.name: scalar for scalar in creation.SCALAR_TYPES},
        "abs": arithmetic.abs_,
        "bool_": creation.SCALAR_TYPES[0],
        "ndarray": Operand,
        "newaxis": None,
        "pi": 3.141592653589793,
        "inf": float("inf"),
        "nan": float("nan"),
    }
    return Namespace("jax.numpy", contents)


def lax_namespace(flow: ControlFlow) -> Namespace:
    """What stands for ``jax.lax``."""
    contents = _named(flow, "cond switch while_loop fori_loop scan")
    contents["stop_gradient"] = lambda x: elementwise.stop_gradient(x)
    contents["select"] = lambda which, on_true, on_false: elementwise.select_n(which, on_false, on_true)
    return Namespace("jax.lax", contents)


def jax_namespace(machine: "Machine") -> Namespace:
    """What stands for ``jax``."""
    contents = {
        **_named(machine, _TRANSFORMATIONS),
        **_named(machine, "numpy lax"),
        "Array": Operand,
        "errors": Namespace("jax.errors", _named(staging_error, _ERRORS)),
        "enable_x64": lambda enabled=True: settings(enable_x64=enabled),
        "numpy_dtype_promotion": lambda mode: settings(numpy_dtype_promotion=mode),
        "default_matmul_precision": lambda precision: settings(default_matmul_precision=precision),
    }
    return Namespace("jax", contents)
