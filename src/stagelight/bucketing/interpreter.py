"""Run a jaxpr that was traced with symbolic sizes on padded arrays, equation by equation."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from stagelight.adapters.symbolic_equations import (
    JaxprParts,
    bind,
    equation_has_symbolic_dimension,
    is_literal,
    live_equations,
)
from stagelight.bucketing.families.registry import RULES
from stagelight.bucketing.padded_value import PaddedValue
from stagelight.bucketing.padding_context import PaddingContext
from stagelight.bucketing.softmax_steps import step_after

_KEEPS_CONSTANT = ("convert_element_type", "broadcast_in_dim", "copy", "stop_gradient")


def interpret(context: PaddingContext, jaxpr: Any, operands: Sequence[PaddedValue]) -> list[PaddedValue]:
    """The padded results of a jaxpr on padded operands.

    An equation in which no symbolic dimension occurs runs as it is, whatever its primitive; every other one needs a
    rule.

    Raises:
        BucketingRefused: A primitive has no rule, or its rule cannot keep padding apart.
    """
    parts = JaxprParts(jaxpr)
    values: dict[Any, PaddedValue] = {}
    for variable, array in zip(parts.captured_variables, parts.captured, strict=True):
        values[variable] = PaddedValue(array, tuple(np.shape(array)))
    for variable, operand in zip(parts.inputs, operands, strict=True):
        values[variable] = operand if operand.origin is not None else context.defined(variable, operand)

    def read(atoms: Sequence[Any]) -> list[PaddedValue]:
        return [_literal(atom) if is_literal(atom) else context.newest(values[atom]) for atom in atoms]

    for equation in live_equations(jaxpr):
        operands = read(equation.invars)
        for variable, result in zip(equation.outvars, _run(context, equation, operands), strict=True):
            values[variable] = context.defined(variable, result)
    return read(parts.outputs)


def _run(context: PaddingContext, equation: Any, operands: list[PaddedValue]) -> list[PaddedValue]:
    context.notes.equations += 1
    if not equation_has_symbolic_dimension(equation):
        return _run_unchanged(equation, operands)
    context.notes.ragged_equations += 1
    context.notes.primitives.add(equation.primitive.name)
    context.entered(equation)
    rule = RULES.get(equation.primitive.name)
    if rule is None:
        raise context.refusal("it has none because its results may depend on the size, or it was not looked at")
    found = rule(context, *operands)
    results = [found] if isinstance(found, PaddedValue) else found
    if len(results) == 1:
        results = [_with_step(equation, results[0], [context.newest(operand) for operand in operands])]
    for result, variable in zip(results, equation.outvars, strict=True):
        _check_capacity(context, result, variable.aval)
    context.left()
    return results


def _run_unchanged(equation: Any, operands: list[PaddedValue]) -> list[PaddedValue]:
    arrays = bind(equation, [operand.array for operand in operands])
    shapes = [tuple(getattr(variable.aval, "shape", ())) for variable in equation.outvars]
    constant = _kept_constant(equation, operands)
    results = [PaddedValue(array, shape, {}, constant) for array, shape in zip(arrays, shapes, strict=True)]
    return [_with_step(equation, results[0], operands)] if len(results) == 1 else results


def _with_step(equation: Any, result: PaddedValue, operands: list[PaddedValue]) -> PaddedValue:
    step = step_after(equation, operands)
    return result if step is None else dataclasses.replace(result, step=step)


def _kept_constant(equation: Any, operands: list[PaddedValue]) -> Any:
    """A literal stays known through the scalar operations that JAX puts around it."""
    if equation.primitive.name not in _KEEPS_CONSTANT or operands[0].constant is None:
        return None
    dtype = equation.outvars[0].aval.dtype
    return np.asarray(operands[0].constant).astype(dtype)[()]


def _check_capacity(context: PaddingContext, result: PaddedValue, aval: Any) -> None:
    expected = context.capacities(aval.shape)
    if tuple(np.shape(result.array)) != expected:
        raise context.refusal(f"its rule gave the shape {np.shape(result.array)} where {expected} is due")


def _literal(atom: Any) -> PaddedValue:
    value = np.asarray(atom.val) if not hasattr(atom.val, "dtype") else atom.val
    return PaddedValue(atom.val, tuple(np.shape(atom.val)), {}, _scalar_constant(value))


def _scalar_constant(value: Any) -> Any:
    if np.ndim(value) or getattr(value.dtype, "kind", "V") not in "fiub":
        return None
    scalar = np.asarray(value)[()]
    return None if scalar != scalar else scalar  # NaN is equal to no neutral element
