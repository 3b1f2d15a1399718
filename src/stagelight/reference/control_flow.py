"""Control flow that is staged: ``cond``, ``switch``, ``while_loop``, ``fori_loop`` and ``scan``.

Follows ``conditionals.py`` and ``loops.py`` in ``jax/_src/lax/control_flow``: branches and bodies are traced on avals,
must agree in structure and type, and values that pass through unchanged are taken out of them. Functions of ``jax.lax``
get the registry of pytrees from the namespace.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stagelight.reference.aval import Aval, promoted
from stagelight.reference.jaxpr import Jaxpr, Variable
from stagelight.reference.operand import Operand
from stagelight.reference.operations import arithmetic as e
from stagelight.reference.pytree import LEAF, Registry, Structure, tuple_of
from stagelight.reference.staging_error import StagingValueError, require, require_value
from stagelight.reference.trace import Params, Primitive, bind, calling, evaluate, operand_of, stage, stage_tree
from stagelight.reference.transformation import batched_jaxpr, pull_back


def _run_cond(index: Any, *operands: Any, branches: tuple[Jaxpr, ...]) -> list[Any]:
    """The chosen branch; all of them where the index is not known, or differs in a batch, and a select picks."""
    if index.known() is not None:
        return evaluate(branches[int(np.clip(int(index), 0, len(branches) - 1))], *operands)
    chosen, *others = [evaluate(branch, *operands) for branch in branches]
    for i, found in enumerate(others, 1):
        chosen = [Operand.functions.where(index >= i, new, old) for new, old in zip(found, chosen, strict=True)]
    return chosen


def _pull_cond(cotangents: list[Any], _: Any, index: Any, *values: Any, branches: tuple[Jaxpr, ...]) -> list[Any]:
    """Each branch is transposed; the same one runs again."""

    def pulled(branch: Jaxpr) -> Jaxpr:
        program = lambda *xs: evaluate(branch, *xs)  # noqa: E731
        pull = lambda *xs: pull_back(program, xs[: len(values)])[1](xs[len(values) :])  # noqa: E731
        return stage(pull, [*(x.aval for x in values), *branch.out_avals])

    return [None, *bind(COND, index, *values, *cotangents, branches=tuple(map(pulled, branches)))]


COND = calling("cond", lambda *_, branches: branches[0].out_avals, _run_cond, pull=_pull_cond)


def _with_constants(jaxpr: Jaxpr, merged: dict[int, Any]) -> Jaxpr:
    """A branch with a leading input for each constant that any of the branches captured."""
    own = dict(zip(map(id, jaxpr.values), jaxpr.constants, strict=True))
    first = [own.get(identity) or Variable(value.aval) for identity, value in merged.items()]
    return Jaxpr(first + jaxpr.inputs, jaxpr.equations, jaxpr.outputs)


def _branched(registry: Registry, name: str, index: Any, branches: Any, given: Any, order: Sequence[int]) -> Any:
    leaves, structure = registry.flatten(given)
    operands = [operand_of(leaf) for leaf in leaves]
    staged = {i: stage_tree(registry, branches[i], structure, operands) for i in order}
    first, result = staged[order[0]]
    for jaxpr, found in staged.values():
        require(found == result, f"{name} branches must have the same pytree structure, but have {result} and {found}.")
        avals, others = ([str(aval) for aval in program.out_avals] for program in (first, jaxpr))
        require(avals == others, f"{name} branches must have equal output types but have {avals} and {others}.")
    merged = {id(value): value for jaxpr, _ in staged.values() for value in jaxpr.values}
    jaxprs = [_with_constants(staged[i][0], merged) for i in sorted(order)]
    inputs = [*merged.values(), *operands]
    places = [[j.inputs.index(out) if out in j.inputs else None for out in j.outputs] for j in jaxprs]
    # An output that is the same input in all branches is taken out of them.
    passed = [found[0] if len({*found}) == 1 else None for found in zip(*places, strict=True)]
    outputs = [[out for out, i in zip(j.outputs, passed, strict=True) if i is None] for j in jaxprs]
    kept = [Jaxpr(j.inputs, j.equations, outs) for j, outs in zip(jaxprs, outputs, strict=True)]
    results = iter(bind(COND, index, *inputs, branches=tuple(kept)))
    return result.rebuild([next(results) if i is None else inputs[i] for i in passed])


def cond(registry: Registry, pred: Any, true_fun: Any, false_fun: Any, *operands: Any) -> Any:
    """``lax.cond``: both branches are traced, one runs."""
    predicate = operand_of(pred)
    require(not predicate.ndim, f"Pred must be a scalar, got {pred} of shape {predicate.shape}.")
    predicate = predicate if predicate.dtype.kind == "b" else predicate != 0
    # JAX traces the true branch first, which decides the order in which constants are met.
    return _branched(registry, "cond", e.convert(predicate, np.int32), (false_fun, true_fun), operands, (1, 0))


def switch(registry: Registry, index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """``lax.switch``: an index out of range is clamped."""
    which = operand_of(index)
    require(not which.ndim and which.dtype.kind in "iu", f"Index type must be an integer, got {which.aval}")
    require_value(branches, "Empty branch sequence")
    if len(branches) == 1:
        return branches[0](*operands)
    clamped = e.clamp(np.int32(0), e.convert(which, np.int32), np.int32(len(branches) - 1))
    return _branched(registry, "switch", clamped, branches, operands, range(len(branches)))


def _run_while(*operands: Any, cond_jaxpr: Jaxpr, cond_nconsts: int, body_jaxpr: Jaxpr, body_nconsts: int) -> list[Any]:
    first, carried = cond_nconsts, cond_nconsts + body_nconsts
    carry = list(operands[carried:])
    while bool(evaluate(cond_jaxpr, *operands[:first], *carry)[0]):
        carry = evaluate(body_jaxpr, *operands[first:carried], *carry)
    return carry


def _batch_while(trace: Any, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
    """The loop goes on while any element does; elements that are done keep their values."""
    n, m = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    test, body = batched_jaxpr(params["cond_jaxpr"], trace.size), batched_jaxpr(params["body_jaxpr"], trace.size)
    operands = [trace.whole(tracer) for tracer in tracers]
    avals = [operand.aval if i < m else operand.aval.strong for i, operand in enumerate(operands)]

    def step(*values: Any) -> list[Any]:
        (going,) = evaluate(test, *values[:n], *values[m:])
        pairs = zip(evaluate(body, *values[n:]), values[m:], strict=True)
        shaped = lambda rank: going.reshape(trace.size, *[1] * (rank - 1))  # noqa: E731
        return [Operand.functions.where(shaped(old.ndim), new, old) for new, old in pairs]

    goes_on = stage(lambda *values: [evaluate(test, *values)[0].any()], [*avals[:n], *avals[m:]])
    loop = {"cond_jaxpr": goes_on, "cond_nconsts": n, "body_jaxpr": stage(step, avals), "body_nconsts": m}
    return [trace.batched(result) for result in bind(primitive, *operands[:n], *operands, **loop)]


def _refuse_while(*_: Any, **__: Any) -> None:
    raise StagingValueError("Reverse-mode differentiation does not work for a loop of unknown length. Try lax.scan.")


def _infer_scan(*_: Aval, jaxpr: Jaxpr, num_carry: int, length: int, **__: Any) -> list[Aval]:
    avals = jaxpr.out_avals
    return avals[:num_carry] + [aval._replace(shape=(length, *aval.shape)) for aval in avals[num_carry:]]


def _run_scan(*operands: Any, **params: Any) -> list[Any]:
    first, carried, direction = params["num_consts"], params["num_carry"], -1 if params["reverse"] else 1
    carry, columns = operands[first : first + carried], operands[first + carried :]
    rows: list[list[Any]] = []
    for i in range(params["length"])[::direction]:
        results = evaluate(params["jaxpr"], *operands[:first], *carry, *[column[i] for column in columns])
        carry = results[:carried]
        rows.append(results[carried:])
    empty = [Operand.functions.zeros(aval.shape, aval.dtype) for aval in _infer_scan(**params)[carried:]]
    return [*carry, *(map(Operand.functions.stack, zip(*rows[::direction], strict=True)) if rows else empty)]


WHILE = calling("while", lambda *_, body_jaxpr, **__: body_jaxpr.out_avals, _run_while, _batch_while, _refuse_while)
SCAN = calling("scan", _infer_scan, _run_scan)


def _as_promoted(value: Any, aval: Aval) -> Any:
    is_changed = value.weak_type and value.aval.strong != aval.strong
    return e.convert(value, promoted(value.aval, aval)[0]) if is_changed else value


def _settled(name: str, structure: Structure, leaves: list[Any], trace: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """Trace a body; again where a weak value of the carry has to be converted first to what the body makes of it."""
    carry = [operand_of(leaf) for leaf in leaves]
    jaxpr, out, more = trace(carry)
    require(out == structure, f"{name} carry must keep its pytree structure, but it is {structure} and then {out}.")
    settled = [_as_promoted(c, aval) for c, aval in zip(carry, jaxpr.out_avals, strict=False)]
    if any(new is not old for new, old in zip(settled, carry, strict=True)):
        jaxpr, _, more = trace(settled)
    for path, before, after in zip(structure.paths(), settled, jaxpr.out_avals, strict=False):
        says = f"{name} carry {path} must keep its type, but it is {before.aval} and then {after}."
        require(before.aval.strong == after.strong, says)
    return settled, jaxpr, more


def while_loop(registry: Registry, cond_fun: Any, body_fun: Any, init_val: Any) -> Any:
    """``lax.while_loop``: the carry keeps its structure and type."""
    leaves, structure = registry.flatten(init_val)

    def trace(carry: list[Any]) -> tuple[Jaxpr, Structure, Jaxpr]:
        test, found = stage_tree(registry, cond_fun, tuple_of(structure), carry)
        is_truth = found == LEAF and test.out_avals[0].strong == Aval((), np.dtype(bool))
        require(is_truth, f"cond_fun must return a boolean scalar, but got {[*map(str, test.out_avals)]}.")
        body, out = stage_tree(registry, body_fun, tuple_of(structure), carry)
        return body, out, test

    carry, body, test = _settled("while_loop", structure, leaves, trace)
    return structure.rebuild(_bind_while(test, body, carry))


def fori_loop(registry: Registry, lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    """``lax.fori_loop``: a ``scan`` where both bounds are known, else a ``while_loop``."""
    bounds = [operand_of(lower), operand_of(upper)]
    if all(bound.known() is not None for bound in bounds):
        step = lambda c, _: ((e.add(c[0], e.number_like(c[0], 1)), body_fun(*c)), None)  # noqa: E731
        return scan(registry, step, (lower, init_val), None, length=max(int(bounds[1]) - int(bounds[0]), 0))[0][1]
    dtype = promoted(*[bound.aval for bound in bounds])[0]
    bounds = [bound if bound.dtype == dtype else e.convert(bound, dtype) for bound in bounds]
    advance = lambda c: (e.add(c[0], e.number_like(c[0], 1)), c[1], body_fun(c[0], c[2]))  # noqa: E731
    return while_loop(registry, lambda c: e.lt(c[0], c[1]), advance, (*bounds, init_val))[2]


def scan(registry: Registry, f: Any, init: Any, xs: Any = None, length: Any = None, reverse: bool = False) -> Any:
    """``lax.scan``: a loop of known length over leading axes."""
    (leaves, structure), (columns, xs_structure) = registry.flatten(init), registry.flatten(xs)
    columns = [operand_of(column) for column in columns]
    lengths = {len(column) for column in columns} | ({length} if length is not None else set())
    require_value(len(lengths) == 1, f"scan got values with different leading axis sizes: {sorted(lengths)}.")
    rows = [column.aval._replace(shape=column.shape[1:]) for column in columns]

    def trace(carry: list[Any]) -> tuple[Jaxpr, Structure, Structure]:
        jaxpr, out = stage_tree(registry, f, tuple_of(structure, xs_structure), [*carry, *rows])
        require(out.kind is tuple and len(out.children) == 2, f"scan body output must be a pair, got {out}.")
        return jaxpr, out.children[0], out

    carry, jaxpr, out = _settled("scan", structure, leaves, trace)
    return out.rebuild(_bind_scan(jaxpr, carry, columns, length=lengths.pop(), reverse=reverse))


def _bind_while(test: Jaxpr, body: Jaxpr, carry: list[Any]) -> list[Any]:
    used = {atom for equation in test.equations for atom in equation.inputs} | {*test.outputs}
    slots = list(zip(carry, test.inputs, body.inputs, body.outputs, strict=True))
    moved = [given is out and tested not in used for _, tested, given, out in slots]
    away, kept = ([slot for slot, move in zip(slots, moved, strict=True) if move is wanted] for wanted in (True, False))
    operands = [*test.values, *(x for x, *_ in away), *body.values, *(x for x, *_ in kept)]
    inputs = [*(slot[2] for slot in away), *body.constants, *(slot[2] for slot in kept)]
    looped = {"cond_jaxpr": Jaxpr([*test.constants, *(slot[1] for slot in kept)], test.equations, test.outputs)}
    looped["body_jaxpr"] = Jaxpr(inputs, body.equations, [slot[3] for slot in kept])
    n, m = len(test.values), len(away) + len(body.values)
    results = iter(bind(WHILE, *operands, cond_nconsts=n, body_nconsts=m, **looped))
    return [value if move else next(results) for value, move in zip(carry, moved, strict=True)]


def _bind_scan(jaxpr: Jaxpr, carry: list[Any], columns: list[Any], **params: Any) -> list[Any]:
    slots, made = list(zip(carry, jaxpr.inputs, jaxpr.outputs, strict=False)), jaxpr.outputs[len(carry) :]
    away, kept = ([slot for slot in slots if (slot[1] is slot[2]) is wanted] for wanted in (True, False))
    # A result that is a row of the input is the input; it is left out of the loop.
    rows = dict(zip(jaxpr.inputs[len(carry) :], columns, strict=True))
    operands = [*(x for x, *_ in away), *jaxpr.values, *(x for x, *_ in kept), *columns]
    inputs = [*(slot[1] for slot in away), *jaxpr.constants, *(slot[1] for slot in kept), *rows]
    body = Jaxpr(inputs, jaxpr.equations, [*(slot[2] for slot in kept), *(out for out in made if out not in rows)])
    params |= {"num_consts": len(away) + len(jaxpr.values), "num_carry": len(kept), "unroll": 1}
    results = iter(bind(SCAN, *operands, jaxpr=body, **params))
    final = [x if given is out else next(results) for x, given, out in slots]
    return final + [rows[out] if out in rows else next(results) for out in made]
