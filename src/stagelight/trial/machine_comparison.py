"""Calls of a user's own function on the reference machine, beside what JAX does with them.

Nothing is run on either side: both trace the Python function on the avals of the arguments. JAX is asked through a new
``jax.jit`` of the function, so that no cache of the program has a say.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import msgspec

from stagelight.adapters.jit_declaration import JitDeclaration, jit_declaration
from stagelight.errors import StagelightError
from stagelight.model.machine_step import ComparedCall, JaxCall, MachineCall, MachineComparison
from stagelight.reference import Machine
from stagelight.trial.jaxpr_likeness import likeness
from stagelight.trial.machine_adoption import adopted
from stagelight.trial.machine_opinion import MachineOpinion, container_not_modelled, settings_of_jax
from stagelight.trial.made_call import Call, call_from

TRANSFORMED = (
    "Under grad and vmap the machine stages equations of its own: JAX linearizes before it transposes, and batches "
    "some primitives otherwise. The values are the same."
)


def on_machine(
    function: Callable[..., Any],
    calls: Iterable[Any],
    *,
    static_argnames: Sequence[str] = (),
    texts: Sequence[str] = (),
) -> MachineComparison:
    """Take calls of a function step by step on the reference machine, and say what JAX does with each.

    Args:
        function: A function, or what ``jax.jit`` made of one. Its Python body runs with tracers, and is not evaluated.
        calls: The calls in order, each ``stagelight.call(...)``, a tuple of positional or a dict of keyword arguments;
            ``jax.ShapeDtypeStruct`` stands for an array.
        static_argnames: Static arguments, for a function that is not jitted itself; those that hold no array or number
            are static too.
        texts: How each call is written, for the record.

    Example:
        >>> import jax.numpy as jnp
        >>> double = jax.jit(lambda x: jnp.sin(x) * 2)
        >>> seen = on_machine(double, [(jnp.ones(3),), (jnp.zeros(3),), (1.0,)])
        >>> [(one.machine.outcome, one.jax.traced, one.agrees) for one in seen.calls]
        [('traced', True, True), ('fast path', False, True), ('traced', True, True)]
    """
    given = [call_from(one) for one in calls]
    declared = jit_declaration(function) or _declared(function, given, static_argnames)
    machine = Machine(jax.__version__)
    static: dict[str, Any] = {"static_argnums": declared.numbers or None, "static_argnames": declared.names or None}
    theirs = _Counted(declared.function, static)
    with machine.settings(**settings_of_jax()):
        staged = machine.jit(adopted(machine, declared.function), **static)
        compared = [
            _compared(machine, staged, theirs, one, texts[i] if i < len(texts) else "") for i, one in enumerate(given)
        ]
    name = str(getattr(declared.function, "__qualname__", type(function).__name__))
    return MachineComparison(function=name, jax_version=jax.__version__, calls=tuple(compared))


def _declared(function: Callable[..., Any], calls: Sequence[Call], names: Sequence[str]) -> JitDeclaration:
    """What an undecorated function needs: arguments that hold no array or number are static, as ``explain`` has it."""
    static = dict.fromkeys(names)
    for one in calls:
        try:
            bound = inspect.signature(function).bind(*one.args, **one.kwargs).arguments
        except (TypeError, ValueError):
            continue
        leaves = {name: jax.tree_util.tree_leaves(value) for name, value in bound.items()}
        static.update((n, None) for n, found in leaves.items() if found and not any(map(_is_dynamic, found)))
    return JitDeclaration(function, (), tuple(static))


def _is_dynamic(leaf: object) -> bool:
    return isinstance(leaf, bool | int | float | complex) or (hasattr(leaf, "shape") and hasattr(leaf, "dtype"))


class _Counted:
    """The function under a new ``jax.jit``, with a count of how often its body ran."""

    def __init__(self, function: Callable[..., Any], static: dict[str, Any]) -> None:
        self.runs = 0

        @functools.wraps(function)
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.runs += 1
            return function(*args, **kwargs)

        self.jitted = jax.jit(counted, **static)

    def trace(self, one: Call) -> tuple[Any, JaxCall]:
        """The trace, or ``None`` where the call raises; and what JAX did."""
        before = self.runs
        try:
            traced = self.jitted.trace(*one.args, **one.kwargs)
        except Exception as error:
            first = next(iter(str(error).splitlines()), "")
            return None, JaxCall(traced=self.runs > before, error=f"{type(error).__name__}: {first}")
        avals = tuple(_aval_text(aval) for aval in traced.jaxpr.in_avals)
        structure = str(traced.in_tree)
        return traced, JaxCall(traced=self.runs > before, structure=structure, avals=avals, jaxpr=str(traced.jaxpr))


def _aval_text(aval: Any) -> str:
    return aval.str_short(short_dtypes=True) if hasattr(aval, "str_short") else str(aval)


def _compared(machine: Machine, staged: Any, theirs: _Counted, one: Call, text: str) -> ComparedCall:
    ours = machine.explain_trace(staged, *one.args, **one.kwargs)
    traced, seen = theirs.trace(one)
    notes: tuple[str, ...] = ()
    if ours.outcome == "refused":
        return ComparedCall(
            call=text, machine=ours, jax=seen, agrees=False, notes=(ours.error.partition(". ")[0] + ".",)
        )
    container = container_not_modelled(machine, one) if ours.outcome == "failed" else None
    if container is not None:
        note = f"The reference machine does not model {container}."
        ours = msgspec.structs.replace(ours, outcome="refused", error=note)
        return ComparedCall(call=text, machine=ours, jax=seen, agrees=False, notes=(note,))
    if ours.outcome == "failed" or traced is None:
        agrees, notes = _errors_agree(ours, seen)
    else:
        alike, notes = likeness(traced.jaxpr, staged.trace(*one.args, **one.kwargs))
        if not alike and machine.has_transformed:
            notes = (*notes, TRANSFORMED)
        agrees = alike and (ours.outcome == "traced") is seen.traced
        if (ours.outcome == "traced") is not seen.traced:
            notes = (f"The machine {'traced' if not seen.traced else 'found the key'}; JAX did not.", *notes)
    return ComparedCall(call=text, machine=ours, jax=seen, agrees=agrees, notes=notes)


def _errors_agree(ours: MachineCall, seen: JaxCall) -> tuple[bool, tuple[str, ...]]:
    mine, yours = ours.error.partition(":")[0], seen.error.partition(":")[0]
    if mine and mine == yours:
        return True, ()
    if not yours:
        return False, (f"The machine does not model something that the function does: {ours.error.splitlines()[0]}",)
    return False, (f"JAX raised {yours}; the machine {f'raised {mine}' if mine else 'raised nothing'}.",)


def traced_calls(
    function: Callable[..., Any], calls: Iterable[Any], *, static_argnums: Any = None, static_argnames: Any = None
) -> tuple[bool, ...]:
    """Which of some calls trace, by the machine's key rule alone: the function is not run, and JAX is not asked.

    Calls are taken in order with empty caches. ``sum`` of the answer is how many traces they make.

    Args:
        function: A function, or what ``jax.jit`` made of one: then it brings its static arguments along.
        calls: As ``stagelight.predict`` takes them.
        static_argnums: As for ``jax.jit``.
        static_argnames: As for ``jax.jit``.

    Raises:
        NotModelledError: The machine does not model a value of a call; the message names it.
        StagelightError: A call raises while its key is made, as on JAX.

    Example:
        >>> import numpy as np
        >>> traced_calls(lambda x, n: x * n, [(np.ones(3), 2), (np.zeros(3), 2), (np.ones(3), 3)], static_argnums=1)
        (True, False, True)
    """
    jitted = jax.jit(function, static_argnums=static_argnums, static_argnames=static_argnames)
    declared = jit_declaration(function) or jit_declaration(jitted)
    if declared is None:
        message = f"{function!r} cannot be staged by the reference machine: this JAX does not tell its static arguments"
        raise StagelightError(message)
    opinion = MachineOpinion(declared)
    return tuple(opinion.traces(call_from(one)) for one in calls)
