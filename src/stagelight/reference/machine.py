"""The machine: a small JAX whose rules can be read, run and asked about.

>>> machine = Machine()
>>> double = machine.jit(lambda x: x * 2.0)
>>> double(3.0), double(4.0), double.trace_count
(Array(6., dtype=float32, weak_type=True), Array(8., dtype=float32, weak_type=True), 1)
"""

import functools
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from stagelight.model.machine_step import MachineCall, MachinePart
from stagelight.reference.adoption import adopted
from stagelight.reference.control_flow import ControlFlow
from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.namespace import Namespace, jax_namespace, lax_namespace, numpy_namespace
from stagelight.reference.notation import jaxpr_text
from stagelight.reference.pytree import Registry
from stagelight.reference.staged_function import Caches, ExplainedCall, StagedFunction
from stagelight.reference.staging_error import StagingTypeError
from stagelight.reference.static_argument import resolve
from stagelight.reference.trace_context import NEWEST, following, settings
from stagelight.reference.transformation import Transformations


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
        self._transformations = Transformations(self)
        self._histories: dict[str, list[list[MachinePart]]] = {}
        self._objects: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    @contextmanager
    def active(self) -> Generator[None]:
        """Follow this machine's version within a ``with`` block."""
        with following(self.version):
            yield

    def settings(self, **changes: object) -> AbstractContextManager[None]:
        """Change settings of the trace context within a ``with`` block, such as ``enable_x64=True``."""
        return settings(**changes)

    def jit(self, function: Any = None, *, static_argnums: Any = None, static_argnames: Any = None) -> Any:
        """Stage a function; its own ``jax`` modules, where it uses any, are replaced by the machine's."""
        if function is None:
            return functools.partial(self.jit, static_argnums=static_argnums, static_argnames=static_argnames)
        if not callable(function):
            raise StagingTypeError(f"Expected a callable value, got {function}")
        with self.active():
            static = resolve(function, static_argnums, static_argnames)
        return StagedFunction(self, function, adopted(self, function), static)

    def make_jaxpr(self, function: Callable[..., Any], static_argnums: Any = None) -> Callable[..., ShownJaxpr]:
        """A function that gives the jaxpr of ``function``; it shares the tracing cache with ``jit``."""
        staged = self.jit(function, static_argnums=static_argnums)
        return lambda *args, **kwargs: ShownJaxpr(staged.trace(*args, **kwargs))

    def grad(self, function: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
        """The gradient of a function of a scalar result, in reverse mode."""
        with_value = self.value_and_grad(function, argnums)
        return functools.wraps(function)(lambda *args, **kwargs: with_value(*args, **kwargs)[1])

    def value_and_grad(self, function: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
        """The value and the gradient."""
        return self._transformations.value_and_grad(adopted(self, function), argnums)

    def vmap(self, function: Callable[..., Any], in_axes: Any = 0, out_axes: int = 0) -> Callable[..., Any]:
        """A function of batches from a function of single elements."""
        return self._transformations.vmap(adopted(self, function), in_axes, out_axes)

    def clear_caches(self) -> None:
        """Forget all traces, as ``jax.clear_caches``."""
        self.caches.clear()

    def explain_call(self, staged: StagedFunction, *args: Any, **kwargs: Any) -> MachineCall:
        """Make a call of a staged function and tell every step it took."""
        return ExplainedCall(staged, args, kwargs).record()

    def foresee(self, staged: StagedFunction, *args: Any, **kwargs: Any) -> MachineCall:
        """Tell whether a call would trace, without running the function, and remember its key as if it had.

        The arguments need only metadata: arrays of JAX and ``jax.ShapeDtypeStruct`` will do.
        """
        return ExplainedCall(staged, args, kwargs, traces=False).record()

    def identity_of(self, function: Any) -> str:
        """The function's name, and which of the function objects made by the same code it is."""
        name = getattr(function, "__qualname__", type(function).__name__)
        if function not in self._objects:
            self._objects[function] = 1 + sum(1 for f in self._objects if getattr(f, "__qualname__", None) == name)
        return f"{name}, object {self._objects[function]}"

    def compared(self, function: Any, parts: list[MachinePart]) -> list[MachinePart]:
        """The parts of a key, each with what the nearest earlier key had instead."""
        name = getattr(function, "__qualname__", type(function).__name__)
        history = self._histories.setdefault(name, [])
        here = {part.name: part.value for part in parts}
        earlier = [{part.name: part.value for part in old} for old in history]
        nearest = min(earlier, key=lambda old: len(here.items() ^ old.items()), default=None)
        history.append(parts)
        if nearest is None:
            return parts
        told = [msgspec.structs.replace(q, before=nearest.get(q.name, "absent")) for q in parts]
        told += [MachinePart(name=n, value="absent", before=v) for n, v in nearest.items() if n not in here]
        return [q if q.before != q.value else msgspec.structs.replace(q, before=None) for q in told]
