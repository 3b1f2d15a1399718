"""The machine: a small JAX whose rules can be read, run and asked about.

>>> machine = Machine()
>>> double = machine.jit(lambda x: x * 2.0)
>>> double(3.0), double(4.0), double.trace_count
(Array(6., dtype=float32, weak_type=True), Array(8., dtype=float32, weak_type=True), 1)
"""

import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from stagelight.model.machine_step import MachineCall
from stagelight.reference import transformation
from stagelight.reference.control_flow import ControlFlow
from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.namespace import Namespace, jax_namespace, lax_namespace, numpy_namespace
from stagelight.reference.notation import jaxpr_text
from stagelight.reference.pytree import Registry
from stagelight.reference.staged_function import Caches, Call, StagedFunction
from stagelight.reference.staging_error import StagingTypeError
from stagelight.reference.static_argument import resolve
from stagelight.reference.telling import Extent, Teller
from stagelight.reference.trace_context import NEWEST, following, settings

type Function = Callable[..., Any]


class ShownJaxpr:
    """A jaxpr that prints itself in JAX's notation."""

    def __init__(self, jaxpr: Jaxpr) -> None:
        self.jaxpr = jaxpr

    def __str__(self) -> str:
        return jaxpr_text(self.jaxpr)

    __repr__ = __str__


class Machine:
    """Stages functions by the rules of one JAX version; ``numpy``, ``lax`` and ``jax`` are its namespaces."""

    def __init__(self, version: str = NEWEST) -> None:
        self.version = version
        self.registry = Registry()
        self.caches = Caches()
        self.lax: Namespace = lax_namespace(ControlFlow(self.registry))
        self.numpy: Namespace = numpy_namespace()
        self.jax: Namespace = jax_namespace(self)
        self._teller = Teller()
        self.has_transformed = False

    def active(self) -> AbstractContextManager[None]:
        """Follow this machine's version within a ``with`` block."""
        return following(self.version)

    def settings(self, **changes: object) -> AbstractContextManager[None]:
        """Change settings of the trace context within a ``with`` block, such as ``enable_x64=True``."""
        return settings(**changes)

    def jit(self, function: Any = None, *, static_argnums: Any = None, static_argnames: Any = None) -> Any:
        """Stage a function."""
        if function is None:
            return functools.partial(self.jit, static_argnums=static_argnums, static_argnames=static_argnames)
        if not callable(function):
            raise StagingTypeError(f"Expected a callable value, got {function}")
        with self.active():
            return StagedFunction(self, function, resolve(function, static_argnums, static_argnames))

    def make_jaxpr(self, function: Function, static_argnums: Any = None) -> Callable[..., ShownJaxpr]:
        """A function that gives the jaxpr of ``function``; it shares the tracing cache with ``jit``."""
        staged = self.jit(function, static_argnums=static_argnums)
        return lambda *args, **kwargs: ShownJaxpr(staged.trace(*args, **kwargs))

    def grad(self, function: Function, argnums: int | Sequence[int] = 0) -> Function:
        """The gradient of a function of a scalar result, in reverse mode."""
        with_value = self.value_and_grad(function, argnums)
        return functools.wraps(function)(lambda *args, **kwargs: with_value(*args, **kwargs)[1])

    def value_and_grad(self, function: Function, argnums: int | Sequence[int] = 0) -> Function:
        """The value and the gradient."""
        return self._followed(transformation.value_and_grad(self.registry, function, argnums))

    def vmap(self, function: Function, in_axes: Any = 0, out_axes: int = 0) -> Function:
        """A function of batches from a function of single elements."""
        return self._followed(transformation.vmap(self.registry, function, in_axes, out_axes))

    def _followed(self, function: Function) -> Function:
        @functools.wraps(function)
        def followed(*args: Any, **kwargs: Any) -> Any:
            self.has_transformed = True
            with self.active():
                return function(*args, **kwargs)

        return followed

    def clear_caches(self) -> None:
        """Forget all traces, as ``jax.clear_caches``."""
        self.caches.clear()

    def explain_call(self, staged: StagedFunction, *args: Any, **kwargs: Any) -> MachineCall:
        """Make a call of a staged function and tell every step it took."""
        return self._told(Call(staged, args, kwargs), "run")

    def explain_trace(self, staged: StagedFunction, *args: Any, **kwargs: Any) -> MachineCall:
        """Tell every step of a call up to its trace; nothing is run, so the arguments need only metadata.

        Arrays of JAX and ``jax.ShapeDtypeStruct`` will do.
        """
        return self._told(Call(staged, args, kwargs), "trace")

    def foresee(self, staged: StagedFunction, *args: Any, **kwargs: Any) -> MachineCall:
        """Tell whether a call would trace, without running the function, and remember its key as if it had."""
        return self._told(Call(staged, args, kwargs), "key")

    def would_trace(self, staged: StagedFunction, *args: Any, **kwargs: Any) -> bool:
        """Whether a call would trace: as ``foresee``, but what the call raises is raised, and nothing is told."""
        with self.active():
            call = Call(staged, args, kwargs)
            call.look_up(traces=False)
            return call.outcome == "traced"

    def _told(self, call: Call, extent: Extent) -> MachineCall:
        with self.active():
            return self._teller.tell(call, extent)
