"""Calls of inner functions: run in place, since their derivatives are already resolved in the jaxpr."""

import jax
from jax import lax

from stagelight.adapters.symbolic_calls import called_jaxpr, expanded, linear_solve
from stagelight.bucketing.padded_value import PaddedValue
from stagelight.bucketing.padding_context import PaddingContext


def call(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """Run the called jaxpr in place."""
    return context.interpret(called_jaxpr(context.equation), operands)


def checkpoint(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """Run a checkpointed function behind the barrier that keeps its values from being saved.

    That barrier is what a differentiated checkpoint lowers to (``jax/_src/ad_checkpoint.py`` ``remat_lowering``).
    """
    parameters = context.equation.params
    if parameters.get("differentiated") and parameters.get("prevent_cse"):
        arrays = lax.optimization_barrier([operand.array for operand in operands])
        operands = tuple(
            PaddedValue(array, operand.shape, operand.padding, operand.constant)
            for array, operand in zip(arrays, operands, strict=True)
        )
    return context.interpret(called_jaxpr(context.equation), operands)


def high_level_call(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """Expand a primitive that stands for a whole function, and run that."""
    atoms = context.equation.invars
    specs = [
        jax.ShapeDtypeStruct(operand.shape, atom.aval.dtype) for operand, atom in zip(operands, atoms, strict=True)
    ]
    known = context.plan.expansions.get(id(context.equation))
    if known is None:
        # The equation is kept with its expansion, so that no other equation takes its identity.
        known = context.equation, expanded(context.equation, specs)
        context.plan.expansions[id(context.equation)] = known
    return context.interpret(known[1], operands)


def solve(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """A custom linear solve runs its ``solve`` function."""
    jaxpr, solve_operands = linear_solve(context.equation, operands)
    return context.interpret(jaxpr, solve_operands)


_CALLS = [
    "closed_call",
    "composite",
    "core_call",
    "custom_jvp_call",
    "custom_jvp_call_jaxpr",
    "custom_vjp_call",
    "custom_vjp_call_jaxpr",
    "custom_vmap_call",
    "eval_jaxpr",
    "jit",
    "linear_call",
    "pjit",
]

RULES = {
    **dict.fromkeys(_CALLS, call),
    **dict.fromkeys(("checkpoint", "remat", "remat2"), checkpoint),
    "call_hi_primitive": high_level_call,
    "custom_linear_solve": solve,
}
