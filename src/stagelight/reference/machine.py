"""The machine: a small JAX whose rules can be read, run and asked about.

>>> machine = Machine()
>>> double = machine.jit(lambda x: x * 2.0)
>>> double(3.0), double(4.0), double.trace_count
(Array(6., dtype=float32, weak_type=True), Array(8., dtype=float32, weak_type=True), 1)
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from stagelight.model.machine_step import MachineCall, MachinePart, MachinePhase, MachineStep
from stagelight.reference import control_flow, staging_error, transformation
from stagelight.reference.aval import NEWEST, following, settings
from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.operand import Operand
from stagelight.reference.operations import arithmetic, rearrangement
from stagelight.reference.pytree import Registry
from stagelight.reference.staged_function import Caches, Call, StagedFunction, key_parts, resolve
from stagelight.reference.trace import operand_of

_FOUND = {"fast path": "The fast path has the key.", "hit": "The tracing cache has the key; the fast path has not."}
_CONSTANTS = {"ndarray": Operand, "newaxis": None, "pi": 3.141592653589793, "inf": float("inf"), "nan": float("nan")}


class Namespace:
    """Names and what they stand for on the machine."""

    def __init__(self, name: str, contents: dict[str, Any]) -> None:
        self.__name__ = name
        self.__dict__.update(contents)

    def __getattr__(self, name: str) -> NoReturn:
        raise (
            AttributeError(name) if name.startswith("__") else staging_error.NotModelledError(f"{self.__name__}.{name}")
        )


def _named(holder: Any, names: str) -> dict[str, Any]:
    return {name: getattr(holder, name) for name in names.split()}


def _of_array(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *args, **kwargs: function(operand_of(x), *args, **kwargs)


def numpy_namespace() -> Namespace:
    """What stands for ``jax.numpy``; the operators and methods of an operand call it too."""
    of_arrays = arithmetic.ARITHMETIC | rearrangement.OF_ARRAYS
    contents = {name: _of_array(function) for name, function in of_arrays.items()} | rearrangement.OF_OTHERS
    return Namespace("jax.numpy", contents | _CONSTANTS | {"bool_": contents["bool"]})


def lax_namespace(registry: Registry) -> Namespace:
    """What stands for ``jax.lax``."""
    flow = _named(control_flow, "cond switch while_loop fori_loop scan")
    contents: dict[str, Any] = {name: functools.partial(function, registry) for name, function in flow.items()}
    return Namespace("jax.lax", contents | {"stop_gradient": lambda x: arithmetic.stop_gradient(x)})


def jax_namespace(machine: "Machine") -> Namespace:
    """What stands for ``jax``."""
    contents = _named(machine, "jit make_jaxpr grad value_and_grad vmap clear_caches numpy lax")
    of_jax = [name for name in vars(staging_error) if name.endswith("Error") and not name.startswith(("Stag", "Not"))]
    contents |= {"Array": Operand, "errors": Namespace("jax.errors", _named(staging_error, " ".join(of_jax)))}
    return Namespace("jax", contents | {"enable_x64": lambda enabled=True: settings(enable_x64=enabled)})


class Machine:
    """Stages functions by the rules of one JAX version; ``numpy``, ``lax`` and ``jax`` are its namespaces."""

    # Within a ``with`` block, such as ``machine.settings(enable_x64=True)``.
    settings = staticmethod(settings)

    def __init__(self, version: str = NEWEST) -> None:
        self.active = functools.partial(following, version)  # the rules of this version, within a ``with`` block
        self.registry, self.caches = Registry(), Caches()
        self.clear_caches = self.caches.clear
        self.numpy, self.lax = numpy_namespace(), lax_namespace(self.registry)
        self.jax = jax_namespace(self)
        self.has_transformed = False
        self._keys: dict[str, list[dict[str, str]]] = {}
        self._objects: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def jit(self, function: Any = None, *, static_argnums: Any = None, static_argnames: Any = None) -> Any:
        """Stage a function."""
        if function is None:
            return functools.partial(self.jit, static_argnums=static_argnums, static_argnames=static_argnames)
        staging_error.require(callable(function), f"Expected a callable value, got {function}")
        with self.active():
            return StagedFunction(self, function, resolve(function, static_argnums, static_argnames))

    def make_jaxpr(self, function: Callable[..., Any], static_argnums: Any = None) -> Callable[..., Jaxpr]:
        """A function that gives the jaxpr of ``function``; it shares the tracing cache with ``jit``."""
        return self.jit(function, static_argnums=static_argnums).trace

    def grad(self, function: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
        """The gradient of a function of a scalar result, in reverse mode."""
        with_value = self.value_and_grad(function, argnums)
        return functools.wraps(function)(lambda *args, **kwargs: with_value(*args, **kwargs)[1])

    def value_and_grad(self, function: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
        """The value and the gradient."""
        self.has_transformed = True
        return self.active()(transformation.value_and_grad(self.registry, function, argnums))

    def vmap(self, function: Callable[..., Any], in_axes: Any = 0, out_axes: int = 0) -> Callable[..., Any]:
        """A function of batches from a function of single elements."""
        self.has_transformed = True
        return self.active()(transformation.vmap(self.registry, function, in_axes, out_axes))

    def would_trace(self, staged: StagedFunction, *args: Any, **kwargs: Any) -> bool:
        """Whether a call would trace, without running the function; its key is remembered as if it had run."""
        with self.active():
            call = Call(staged, args, kwargs)
            call.look_up(traces=False)
            return call.outcome == "traced"

    def explain_call(self, staged: StagedFunction, *args: Any, **kwargs: Any) -> MachineCall:
        """Make a call of a staged function and tell every step it took."""
        return self._told(Call(staged, args, kwargs), is_run=True)

    def explain_trace(self, staged: StagedFunction, *args: Any, **kwargs: Any) -> MachineCall:
        """Tell every step of a call up to its trace; nothing is run, so the arguments need only metadata.

        Arrays of JAX and ``jax.ShapeDtypeStruct`` will do.
        """
        return self._told(Call(staged, args, kwargs), is_run=False)

    def _told(self, call: Call, *, is_run: bool) -> MachineCall:
        """Run a call, or trace it only, and tell it; an error it raises is told too."""
        try:
            with self.active():
                made = call.run() if is_run else call.look_up()
            result, jaxpr = repr(made) if is_run else "", str(call.traced and call.traced[0])
            told: dict[str, Any] = {"outcome": call.outcome, "jaxpr": jaxpr, "result": result}
        except staging_error.NotModelledError as refused:
            told = {"outcome": "refused", "error": str(refused)}
        except Exception as raised:
            told = {"outcome": "failed", "error": f"{type(raised).__name__.removeprefix('Staging')}: {raised}"}
        steps = self._steps(call, told.get("error", ""), is_run=is_run)
        return MachineCall(function=call.staged.full_name, steps=tuple(steps), **told)

    def _steps(self, call: Call, error: str, *, is_run: bool) -> list[MachineStep]:
        """The steps of a call up to its run, or to its error."""
        arguments, key, staged = call.arguments, call.key, call.staged
        if arguments is None or key is None:
            return [_step("flatten" if arguments is None else "abstract", error)]
        entries = [(n if " " in n else f"argument {n}", is_static, text) for n, is_static, text in arguments.entries()]
        kinds = {name: "static" if is_static else "dynamic" for name, is_static, _ in entries}
        trees = {name: text for name, is_static, text in entries if not is_static}
        avals = dict(zip(key.structure.paths(), map(str, key.avals), strict=True))
        number = self._objects.setdefault(staged.function, 1 + len(self._objects))
        texts = key_parts(f"{staged.full_name}, object {number}", arguments, key)
        traced = _step("trace", error or "The Python function runs with tracers and leaves a jaxpr.")
        hit = _step("hit", "The Python function does not run; its jaxpr is used again.")
        steps = [
            _step("split", "Static arguments stay Python values; dynamic ones become tracers.", kinds),
            _step("flatten", "Each dynamic argument is taken apart into leaves and a structure.", trees),
            _step("abstract", "Of each leaf only the aval is kept: shape, dtype and weak type.", avals),
            self._key_step(staged.name, texts),
            _step("look up", _FOUND.get(call.outcome, "No cache has the key.")),
            hit if call.outcome in _FOUND else traced,
            _step("run", "The jaxpr is evaluated on the values."),
        ]
        return steps if is_run and not error else steps[:-1]

    def _key_step(self, name: str, here: dict[str, str]) -> MachineStep:
        """The parts of a key, each with what the nearest earlier key had instead."""
        earlier = self._keys.setdefault(name, [])
        nearest = min(earlier, key=lambda old: len(here.items() ^ old.items()), default=here)
        earlier.append(here)
        both = {name: (here.get(name, "absent"), nearest.get(name, "absent")) for name in {**here, **nearest}}
        parts = [MachinePart(name=n, value=v, before=None if v == old else old) for n, (v, old) in both.items()]
        return MachineStep(phase="key", says="The cache key, part by part.", parts=tuple(parts))


def _step(phase: MachinePhase, says: str, parts: dict[str, str] | None = None) -> MachineStep:
    named = [MachinePart(name=name, value=value) for name, value in (parts or {}).items()]
    return MachineStep(phase=phase, says=says, parts=tuple(named))
