"""Calls of staged functions inside staged functions: the ``jit`` equation.

Follows ``jit_p`` in ``jax/_src/pjit.py``. Several NumPy functions of JAX are staged themselves (``jnp.where`` is
one), so they show up in a jaxpr as such a call.
"""

from collections.abc import Callable, Sequence
from typing import Any

from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.operand import Operand, Tracer
from stagelight.reference.primitive import Primitive
from stagelight.reference.trace import bind, evaluate, operand_of, stage

jit = Primitive(
    "jit",
    lambda _, params: params["jaxpr"].out_avals,
    run=lambda operands, params: evaluate(params["jaxpr"], *operands),
)


def call_staged(name: str, jaxpr: Jaxpr, operands: Sequence[Operand]) -> list[Any]:
    """Apply the jit primitive; constants that are tracers of an outer trace become operands."""
    if any(isinstance(value, Tracer) for value in jaxpr.values):
        operands = [*jaxpr.values, *operands]
        jaxpr = jaxpr.with_constants_first()
    return bind(jit, *operands, name=name, jaxpr=jaxpr)


def stage_and_call(name: str, function: Callable[..., Any], *values: Any) -> Any:
    """Stage a function of the namespace and call it, as JAX does for the functions it jits itself."""
    operands = [operand_of(value) for value in values]
    jaxpr = stage(lambda *arguments: [function(*arguments)], [operand.aval for operand in operands], name)
    return call_staged(name, jaxpr, operands)[0]
