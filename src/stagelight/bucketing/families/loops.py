"""Loops: a scan over a ragged axis runs its true length; padded lanes never keep a loop alive."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from stagelight.adapters.symbolic_calls import scan_operand_counts
from stagelight.adapters.symbolic_equations import input_avals, output_avals
from stagelight.bucketing.dimensions import is_symbolic
from stagelight.bucketing.padded_value import PaddedValue, is_key_dtype, zero
from stagelight.bucketing.padding_context import PaddingContext


class _Scan:
    """The operands and the body of one scan."""

    def __init__(self, context: PaddingContext, operands: Sequence[PaddedValue]) -> None:
        self.context = context
        self.parameters = context.equation.params
        self.jaxpr = self.parameters["jaxpr"]
        constants, self.carried = scan_operand_counts(self.parameters)
        self.constants = operands[:constants]
        self.sequences = operands[constants + self.carried :]
        inputs, self.outputs = input_avals(self.jaxpr), output_avals(self.jaxpr)
        self.carry_avals = inputs[constants : constants + self.carried]
        self.row_avals = inputs[constants + self.carried :]
        initial = operands[constants : constants + self.carried]
        self.initial = [_as(value.array, aval) for value, aval in zip(initial, self.carry_avals, strict=True)]

    def step(self, carry: Sequence[Any], rows: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """One turn: the next carry, and a row of each output."""
        operands = list(self.constants)
        operands += [PaddedValue(array, aval.shape) for array, aval in zip(carry, self.carry_avals, strict=True)]
        for row, aval, sequence in zip(rows, self.row_avals, self.sequences, strict=True):
            padding = {axis - 1: known for axis, known in sequence.padding.items() if axis > 0}
            operands.append(PaddedValue(row, aval.shape, padding, sequence.constant))
        results = self.context.child().interpret(self.jaxpr, operands)
        arrays = [_as(result.array, aval) for result, aval in zip(results, self.outputs, strict=True)]
        return arrays[: self.carried], arrays[self.carried :]

    def rows_at(self, index: Any) -> list[Any]:
        """One row of each sequence."""
        return [lax.dynamic_index_in_dim(s.array, index, 0, keepdims=False) for s in self.sequences]


def scan(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """A scan of fixed length as it is; over a ragged axis its true length, or its capacity masked."""
    loop = _Scan(context, operands)
    if not is_symbolic(loop.parameters["length"]):
        return context.results(_fixed(loop))
    return _masked(loop) if context.masked_loops else _of_true_length(loop)


def _fixed(loop: _Scan) -> list[Any]:
    carry, stacked = lax.scan(
        lambda carry, rows: loop.step(carry, rows),
        loop.initial,
        [sequence.array for sequence in loop.sequences],
        length=int(loop.parameters["length"]),
        reverse=loop.parameters["reverse"],
        unroll=loop.parameters["unroll"],
    )
    return [*carry, *stacked]


def _of_true_length(loop: _Scan) -> list[PaddedValue]:
    """A while loop of exactly the true length: the carry cannot see padding."""
    context, length = loop.context, loop.parameters["length"]
    turns, capacity = context.size_array(length), context.capacity(length)
    row_avals = loop.outputs[loop.carried :]
    if any(is_key_dtype(aval.dtype) for aval in row_avals):
        raise context.refusal("it stacks random keys along a ragged axis")
    buffers = [jnp.zeros((capacity, *context.capacities(aval.shape)), aval.dtype) for aval in row_avals]

    def turn(index: Any, state: Any) -> Any:
        carry, stacked = state
        place = turns - 1 - index if loop.parameters["reverse"] else index
        carry, rows = loop.step(carry, loop.rows_at(place))
        written = [lax.dynamic_update_index_in_dim(b, row, place, 0) for b, row in zip(stacked, rows, strict=True)]
        return carry, written

    carry, stacked = lax.fori_loop(jnp.int32(0), turns, turn, (loop.initial, buffers))
    results = context.results(carry)
    for index, array in enumerate(stacked):
        results.append(context.result(array, loop.carried + index, {0: zero(array.dtype)}))
    return results


def _masked(loop: _Scan) -> list[PaddedValue]:
    """A scan of the capacity whose turns in the padding keep the carry: no run-time trip count, more work."""
    context, length = loop.context, loop.parameters["length"]
    valid = context.is_valid(length)
    context.note([length], "kept", "turns in the padding would change the carry")

    def turn(carry: Any, rows: Any) -> Any:
        is_real, *rows = rows
        following, stacked = loop.step(carry, rows)
        return [jnp.where(is_real, new, old) for new, old in zip(following, carry, strict=True)], stacked

    sequences = [valid, *(sequence.array for sequence in loop.sequences)]
    carry, stacked = lax.scan(
        turn, loop.initial, sequences, reverse=loop.parameters["reverse"], unroll=loop.parameters["unroll"]
    )
    return context.results([*carry, *stacked])


class _While:
    """The operands, the predicate and the body of one while loop."""

    def __init__(self, context: PaddingContext, operands: Sequence[PaddedValue]) -> None:
        parameters = context.equation.params
        tested, run = parameters["cond_nconsts"], parameters["body_nconsts"]
        self.context = context
        self.test, self.body = parameters["cond_jaxpr"], parameters["body_jaxpr"]
        self.test_constants, self.body_constants = operands[:tested], operands[tested : tested + run]
        self.avals = input_avals(self.body)[run:]
        self.initial = [_as(v.array, a) for v, a in zip(operands[tested + run :], self.avals, strict=True)]
        self.lanes = output_avals(self.test)[0].shape

    def _state(self, arrays: Sequence[Any]) -> list[PaddedValue]:
        return [PaddedValue(array, aval.shape) for array, aval in zip(arrays, self.avals, strict=True)]

    def goes_on(self, arrays: Sequence[Any]) -> Any:
        """The predicate; under ``vmap`` one for each lane, false in padded lanes."""
        context = self.context.child()
        (found,) = context.interpret(self.test, [*self.test_constants, *self._state(arrays)])
        lanes = PaddedValue(found.array, self.lanes, found.padding, found.constant)
        why = "padded lanes would keep the loop alive"
        return context.mask(lanes, range(len(self.lanes)), False, why).array

    def turn(self, arrays: Sequence[Any]) -> list[Any]:
        """The next state; lanes that have ended keep theirs."""
        found = self.context.child().interpret(self.body, [*self.body_constants, *self._state(arrays)])
        following = [_as(value.array, aval) for value, aval in zip(found, self.avals, strict=True)]
        if not self.lanes:
            return following
        alive = self.goes_on(arrays)
        return [lax.select(_spread(alive, new), new, old) for new, old in zip(following, arrays, strict=True)]


def while_loop(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """Run while the predicate holds, in any valid lane where there are lanes."""
    loop = _While(context, operands)
    return context.results(lax.while_loop(lambda arrays: jnp.any(loop.goes_on(arrays)), loop.turn, loop.initial))


def _spread(lanes: Any, array: Any) -> Any:
    return jnp.broadcast_to(lanes.reshape(lanes.shape + (1,) * (array.ndim - lanes.ndim)), array.shape)


def _as(array: Any, aval: Any) -> Any:
    return array if is_key_dtype(aval.dtype) else lax.convert_element_type(array, aval.dtype)


RULES = {"scan": scan, "while": while_loop}
