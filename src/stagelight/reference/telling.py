"""A call of a staged function, told step by step."""

from typing import Any, Literal
from weakref import WeakKeyDictionary

from stagelight.model.machine_step import MachineCall, MachinePart, MachineStep
from stagelight.reference.cache_key import key_parts
from stagelight.reference.notation import jaxpr_text
from stagelight.reference.pytree import Structure
from stagelight.reference.staged_function import Call
from stagelight.reference.staging_error import NotModelledError

type Extent = Literal["key", "trace", "run"]

_FOUND = {
    "fast path": "The fast path has the key.",
    "hit": "The tracing cache has the key; the fast path has not.",
}


class Teller:
    """Tells calls, and remembers their keys to compare later ones with."""

    def __init__(self) -> None:
        self._histories: dict[str, list[list[MachinePart]]] = {}
        self._objects: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def tell(self, call: Call, extent: Extent) -> MachineCall:
        """Make the call as far as it shall go, and tell it; an error it raises is told too."""
        result = error = ""
        outcome = None
        try:
            if extent == "run":
                result = repr(call.run())
            else:
                call.look_up(traces=extent == "trace")
        except NotModelledError as refused:
            outcome, error = "refused", str(refused)
        except Exception as raised:
            outcome, error = "failed", f"{type(raised).__name__.removeprefix('Staging')}: {raised}"
        jaxpr = jaxpr_text(call.traced.jaxpr) if extent != "key" and call.traced and not error else ""
        steps = [*self._steps_to_key(call), *_steps_from_key(call, error, extent)]
        name = getattr(call.staged.function, "__qualname__", call.staged.name)
        return MachineCall(
            function=name, outcome=outcome or call.outcome, steps=tuple(steps), jaxpr=jaxpr, result=result, error=error
        )

    def _steps_to_key(self, call: Call) -> list[MachineStep]:
        arguments, key = call.arguments, call.key
        if arguments is None or key is None:
            return []
        entries = [(name if name.startswith("argument") else f"argument {name}", p) for name, p in arguments.entries()]
        kinds = [(name, "dynamic" if isinstance(part, Structure) else "static") for name, part in entries]
        trees = [(name, repr(part)) for name, part in entries if isinstance(part, Structure)]
        avals = [(path, str(aval)) for path, aval in zip(arguments.paths, key.avals, strict=True)]
        function = self._identity(call.staged.function, call.staged.name)
        parts = self._compared(call.staged.name, key_parts(function, arguments, key))
        return [
            _step("split", "Static arguments stay Python values; dynamic ones become tracers.", kinds),
            _step("flatten", "Each dynamic argument is taken apart into leaves and a structure.", trees),
            _step("abstract", "Of each leaf only the aval is kept: shape, dtype and weak type.", avals),
            MachineStep(phase="key", says="The cache key, part by part.", parts=tuple(parts)),
        ]

    def _identity(self, function: Any, name: str) -> str:
        """The function's name, and which of the function objects made by the same code it is."""
        if function not in self._objects:
            self._objects[function] = 1 + sum(getattr(f, "__name__", None) == name for f in self._objects)
        return f"{getattr(function, '__qualname__', name)}, object {self._objects[function]}"

    def _compared(self, name: str, parts: list[MachinePart]) -> list[MachinePart]:
        """The parts of a key, each with what the nearest earlier key had instead."""
        history = self._histories.setdefault(name, [])
        here = {part.name: part.value for part in parts}
        earlier = [{part.name: part.value for part in old} for old in history]
        nearest = min(earlier, key=lambda old: len(here.items() ^ old.items()), default=here)
        history.append(parts)
        before = {name: nearest.get(name, "absent") for name in [*here, *nearest]}
        return [
            MachinePart(name=n, value=here.get(n, "absent"), before=None if b == here.get(n) else b)
            for n, b in before.items()
        ]


def _step(phase: Any, says: str, parts: list[tuple[str, str]] | None = None) -> MachineStep:
    return MachineStep(phase=phase, says=says, parts=tuple(MachinePart(name=n, value=v) for n, v in parts or ()))


def _steps_from_key(call: Call, error: str, extent: Extent) -> list[MachineStep]:
    if call.key is None:
        return [_step("flatten" if call.arguments is None else "abstract", error)]
    steps = [_step("look up", _FOUND.get(call.outcome, "No cache has the key."))]
    if call.outcome in _FOUND:
        steps.append(_step("hit", "The Python function does not run; its jaxpr is used again."))
    elif extent == "key":
        steps.append(_step("trace", "The Python function would run with tracers."))
    else:
        steps.append(_step("trace", error or "The Python function runs with tracers and leaves a jaxpr."))
    return [*steps, _step("run", "The jaxpr is evaluated on the values.")] if extent == "run" and not error else steps
