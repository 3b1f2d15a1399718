"""What the reference machine's key rule says of calls, held beside what JAX is seen to do.

The machine knows the calls it was asked about and no earlier ones: a key that is new to it may well be in JAX's caches.
"""

from collections.abc import Callable
from typing import Any

import jax

from stagelight.adapters.jit_declaration import JitDeclaration, jit_declaration
from stagelight.errors import StagelightError
from stagelight.model.trial import MachineSays, Prediction
from stagelight.reference import Machine, NotModelledError
from stagelight.reference.staging_error import StagingTypeError
from stagelight.trial.made_call import Call

SETTINGS = ("enable_x64", "numpy_dtype_promotion", "numpy_rank_promotion", "default_matmul_precision")


def settings_of_jax() -> dict[str, Any]:
    """The settings of JAX that enter the machine's keys."""
    return {name: getattr(jax.config, f"jax_{name}") for name in SETTINGS}


class MachineOpinion:
    """The key rule for one function, over calls in order."""

    def __init__(self, declared: JitDeclaration) -> None:
        self._machine = Machine(jax.__version__)
        numbers, names = declared.numbers or None, declared.names or None
        self._staged = self._machine.jit(declared.function, static_argnums=numbers, static_argnames=names)

    def traces(self, one: Call) -> bool:
        """Whether a call would trace; its key is remembered, the function is not run.

        Raises:
            NotModelledError: The machine does not model something of the call.
            StagelightError: The call raises while its key is made, as on JAX.
        """
        with self._machine.settings(**settings_of_jax()):
            try:
                return self._machine.would_trace(self._staged, *one.args, **one.kwargs)
            except StagingTypeError:
                container = container_not_modelled(self._machine, one)
                if container is None:
                    raise
        raise NotModelledError(container)


def container_not_modelled(machine: Machine, one: Call) -> str | None:
    """The first container among the arguments that JAX knows and the machine does not, if there is one."""
    leaves = machine.registry.flatten((one.args, dict(one.kwargs)))[0]
    return next(
        (f"the container {type(leaf).__name__}" for leaf in leaves if not jax.tree_util.all_leaves([leaf])), None
    )


def opinion_on(function: Callable[..., Any]) -> MachineOpinion | str:
    """The key rule for a function, or why there is none."""
    declared = jit_declaration(function)
    if declared is None:
        kind = f"{type(function).__module__}.{type(function).__qualname__}"
        return f"what jax.jit itself did not return ({kind})"
    try:
        return MachineOpinion(declared)
    except StagelightError as error:
        return str(error)


def with_opinion(prediction: Prediction, opinion: MachineOpinion | str, one: Call) -> MachineSays:
    """What the machine says of a call, and whether it fits what JAX was seen to do."""
    if isinstance(opinion, str):
        return MachineSays(verdict="not modelled", about=opinion)
    try:
        traces = opinion.traces(one)
    except NotModelledError as error:
        return MachineSays(verdict="not modelled", about=error.what)
    except Exception as error:  # a comparison of the user's own may raise anything; JAX has the last word
        return MachineSays(verdict="not modelled", about=str(error) or type(error).__name__)
    if not traces:
        differs = "JAX traces, though an earlier call had the same key" if prediction.traces else ""
        return MachineSays(verdict="known key", differs=differs)
    differs = f"JAX uses the specialization of call {prediction.like}, whose key is another" if prediction.like else ""
    return MachineSays(verdict="new key", differs=differs)
