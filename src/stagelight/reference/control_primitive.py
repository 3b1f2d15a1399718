"""The primitives of control flow: how they run, are batched and are transposed.

Follows ``cond_p``, ``while_p`` and ``scan_p`` in ``jax/_src/lax/control_flow``.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from stagelight.reference.aval import Aval
from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.operand import Operand
from stagelight.reference.staging_error import StagingValueError
from stagelight.reference.trace import Params, Primitive, bind, evaluate, stage
from stagelight.reference.transformation import batch, pull_back


def _batched(jaxpr: Jaxpr, size: int) -> Jaxpr:
    """The program of whole batches."""
    avals = [aval._replace(shape=(size, *aval.shape)) for aval in jaxpr.in_avals]
    return stage(lambda *wholes: batch(lambda *xs: evaluate(jaxpr, *xs), wholes, size), avals, "vmap")


def _run_cond(operands: list[Any], params: Params) -> list[Any]:
    branches = params["branches"]
    return evaluate(branches[int(np.clip(int(operands[0]), 0, len(branches) - 1))], *operands[1:])


def _batch_cond(trace: Any, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
    """Where the index differs between elements all branches run, and a select picks."""
    index, *operands = tracers
    if not index.payload[1]:
        branches = tuple(_batched(branch, trace.size) for branch in params["branches"])
        results = bind(primitive, index.payload[0], *map(trace.whole, operands), branches=branches)
        return [trace.batched(result) for result in results]
    found = [evaluate(branch, *operands) for branch in params["branches"]]
    chosen = found[0]
    for i, outputs in enumerate(found[1:], 1):
        pairs = zip(outputs, chosen, strict=True)
        chosen = [Operand.functions.where(index >= i, output, before) for output, before in pairs]
    return [trace.own(value) for value in chosen]


def _pull_cond(cotangents: list[Any], _: list[Any], operands: list[Any], params: Params) -> list[Any]:
    """Each branch is transposed; the same one runs again."""
    index, *values = operands
    avals, n = [x.aval for x in values], len(values)

    def pulled(branch: Jaxpr) -> Jaxpr:
        pull = lambda *xs: pull_back(lambda *ys: evaluate(branch, *ys), xs[:n])[1](xs[n:])  # noqa: E731
        return stage(pull, [*avals, *branch.out_avals], "transpose")

    branches = tuple(map(pulled, params["branches"]))
    return [None, *bind(cond_primitive, index, *values, *cotangents, branches=branches)]


def _run_while(operands: list[Any], params: Params) -> list[Any]:
    n, m = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    carry = operands[m:]
    while bool(evaluate(params["cond_jaxpr"], *operands[:n], *carry)[0]):
        carry = evaluate(params["body_jaxpr"], *operands[n:m], *carry)
    return carry


def _batch_while(trace: Any, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
    """The loop goes on while any element does; elements that are done keep their values."""
    n, m = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    test, body = _batched(params["cond_jaxpr"], trace.size), _batched(params["body_jaxpr"], trace.size)
    operands = [trace.whole(tracer) for tracer in tracers]
    avals = [operand.aval if i < m else operand.aval.strong for i, operand in enumerate(operands)]

    def step(*values: Any) -> list[Any]:
        going = evaluate(test, *values[:n], *values[m:])[0]
        pairs = zip(evaluate(body, *values[n:]), values[m:], strict=True)
        shaped = lambda rank: going.reshape(trace.size, *[1] * (rank - 1))  # noqa: E731
        return [Operand.functions.where(shaped(old.ndim), new, old) for new, old in pairs]

    goes_on = stage(lambda *values: [evaluate(test, *values)[0].any()], [*avals[:n], *avals[m:]], "cond")
    loop = {"cond_jaxpr": goes_on, "cond_nconsts": n, "body_jaxpr": stage(step, avals, "body"), "body_nconsts": m}
    return [trace.batched(result) for result in bind(primitive, *operands[:n], *operands, **loop)]


def _refuse_while(*_: Any) -> NoReturn:
    raise StagingValueError(
        "Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic start/stop"
        " values. Try using lax.scan, or using fori_loop with static start/stop."
    )


def _infer_scan(_: Sequence[Aval], params: Params) -> list[Aval]:
    avals, carried = params["jaxpr"].out_avals, params["num_carry"]
    return [*avals[:carried], *(aval._replace(shape=(params["length"], *aval.shape)) for aval in avals[carried:])]


def _run_scan(operands: list[Any], params: Params) -> list[Any]:
    first, carried = params["num_consts"], params["num_carry"]
    carry, columns = operands[first : first + carried], operands[first + carried :]
    rows: list[list[Any]] = []
    for i in range(params["length"])[:: -1 if params["reverse"] else 1]:
        results = evaluate(params["jaxpr"], *operands[:first], *carry, *[column[i] for column in columns])
        carry, row = results[:carried], results[carried:]
        rows.append(row)
    ordered = rows[::-1] if params["reverse"] else rows
    functions, avals = Operand.functions, _infer_scan([], params)[carried:]
    empty = [functions.zeros(aval.shape, aval.dtype) for aval in avals]
    return [*carry, *(map(functions.stack, zip(*ordered, strict=True)) if rows else empty)]


def _batch_scan(trace: Any, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
    swapped = lambda x: x.transpose(1, 0, *range(2, x.ndim))  # noqa: E731
    first, carried = params["num_consts"] + params["num_carry"], params["num_carry"]
    operands = [trace.whole(t) if i < first else swapped(trace.whole(t)) for i, t in enumerate(tracers)]
    results = bind(primitive, *operands, **{**params, "jaxpr": _batched(params["jaxpr"], trace.size)})
    return [trace.batched(result if i < carried else swapped(result)) for i, result in enumerate(results)]


cond_primitive = Primitive("cond", lambda _, k: k["branches"][0].out_avals, None, _batch_cond, _pull_cond, _run_cond)
while_primitive = Primitive(
    "while", lambda _, k: k["body_jaxpr"].out_avals, None, _batch_while, _refuse_while, _run_while
)
scan_primitive = Primitive("scan", _infer_scan, None, _batch_scan, None, _run_scan)
