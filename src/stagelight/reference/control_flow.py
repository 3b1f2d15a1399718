"""Control flow that is staged: ``cond``, ``switch``, ``while_loop``, ``fori_loop`` and ``scan``.

Follows ``jax/_src/lax/control_flow/conditionals.py`` and ``loops.py``: branches and bodies are traced on avals, must
agree in structure and type, and values that pass through unchanged are taken out of them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stagelight.reference import primitive as p
from stagelight.reference.aval import Aval, promoted
from stagelight.reference.elementwise import apply_one, convert, number_like
from stagelight.reference.jaxpr import Jaxpr, Variable
from stagelight.reference.operand import Array, Tracer
from stagelight.reference.pytree import LEAF, Registry, Structure
from stagelight.reference.staging_error import StagingTypeError, StagingValueError
from stagelight.reference.trace import bind, evaluate, operand_of, stage


def _run_cond(operands: list[Any], params: p.Params) -> list[Any]:
    branches = params["branches"]
    return evaluate(branches[int(np.clip(int(operands[0]), 0, len(branches) - 1))], *operands[1:])


def _run_while(operands: list[Any], params: p.Params) -> list[Any]:
    test, body = params["cond_nconsts"], params["body_nconsts"]
    test_constants, body_constants, carry = operands[:test], operands[test : test + body], operands[test + body :]
    while bool(evaluate(params["cond_jaxpr"], *test_constants, *carry)[0]):
        carry = evaluate(params["body_jaxpr"], *body_constants, *carry)
    return carry


def _run_scan(operands: list[Any], params: p.Params) -> list[Any]:
    first, last = params["num_consts"], params["num_consts"] + params["num_carry"]
    constants, carry, columns = operands[:first], operands[first:last], operands[last:]
    rows: list[list[Any]] = []
    for i in range(params["length"])[:: -1 if params["reverse"] else 1]:
        row = [Array(column.value[i], weak_type=column.weak_type) for column in columns]
        results = evaluate(params["jaxpr"], *constants, *carry, *row)
        carry = results[: params["num_carry"]]
        rows.append([result.value for result in results[params["num_carry"] :]])
    stacked = [np.stack(column) for column in zip(*rows[:: -1 if params["reverse"] else 1], strict=True)]
    avals = _infer_scan([], params)[params["num_carry"] :]
    empty = [np.zeros(aval.shape, aval.dtype) for aval in avals]
    return [*carry, *map(Array, stacked if rows else empty)]


def _infer_scan(_: list[Aval], params: p.Params) -> list[Aval]:
    avals, carried = params["jaxpr"].out_avals, params["num_carry"]
    return [*avals[:carried], *(aval._replace(shape=(params["length"], *aval.shape)) for aval in avals[carried:])]


cond_primitive = p.Primitive("cond", lambda _, params: params["branches"][0].out_avals, run=_run_cond)
while_primitive = p.Primitive("while", lambda _, params: params["body_jaxpr"].out_avals, run=_run_while)
scan_primitive = p.Primitive("scan", _infer_scan, run=_run_scan)


def _forwarded(jaxpr: Jaxpr) -> list[int | None]:
    """For each output, which input it is, if it is one."""
    return [jaxpr.inputs.index(out) if out in jaxpr.inputs else None for out in jaxpr.outputs]


def _keep(jaxpr: Jaxpr, outputs: Sequence[bool], order: Sequence[int] | None = None) -> Jaxpr:
    inputs = jaxpr.inputs if order is None else [jaxpr.inputs[i] for i in order]
    return Jaxpr(
        [], [], inputs, jaxpr.equations, [out for out, keep in zip(jaxpr.outputs, outputs, strict=True) if keep]
    )


class ControlFlow:
    """The functions of ``jax.lax`` that take functions, over the pytrees of one registry."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def _stage(
        self, function: Callable[..., Any], structure: Structure, avals: Sequence[Aval]
    ) -> tuple[Jaxpr, Structure]:
        found: list[Structure] = []

        def flat(*leaves: Any) -> list[Any]:
            results, out = self._registry.flatten(function(*structure.rebuild(leaves)))
            found.append(out)
            return results

        return stage(flat, avals, getattr(function, "__name__", "")), found[0]

    def cond(self, pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any) -> Any:
        """``lax.cond``: both branches are traced, one runs."""
        predicate = operand_of(pred)
        if predicate.ndim:
            raise StagingTypeError(f"Pred must be a scalar, got {pred} of shape {predicate.shape}.")
        predicate = predicate if predicate.dtype.kind == "b" else predicate != 0
        index = convert(predicate, np.int32)
        return self._branch("cond", index, (false_fun, true_fun), operands, first=1)

    def switch(self, index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
        """``lax.switch``: an index out of range is clamped."""
        which = operand_of(index)
        if which.ndim or which.dtype.kind not in "iu":
            raise StagingTypeError(f"Index type must be an integer, got {which.aval}")
        if not branches:
            raise StagingValueError("Empty branch sequence")
        if len(branches) == 1:
            return branches[0](*operands)
        clamped = apply_one(p.clamp, np.int32(0), convert(which, np.int32), np.int32(len(branches) - 1))
        return self._branch("switch", clamped, tuple(branches), operands, first=0)

    def _branch(self, name: str, index: Any, branches: Sequence[Any], operands: Any, *, first: int) -> Any:
        leaves, structure = self._registry.flatten(operands)
        leaves = [operand_of(leaf) for leaf in leaves]
        # JAX traces the true branch first, which decides the order in which constants are met.
        order = sorted(range(len(branches)), key=lambda i: i != first)
        staged = {i: self._stage(branches[i], structure, [leaf.aval for leaf in leaves]) for i in order}
        _check_branches(name, [staged[i] for i in order])
        jaxprs, constants = _with_common_constants([staged[i][0] for i in range(len(branches))], order)
        inputs = [*constants, *leaves]
        passed = [found[0] if len(set(found)) == 1 else None for found in zip(*map(_forwarded, jaxprs), strict=True)]
        kept = tuple(_keep(jaxpr, [i is None for i in passed]) for jaxpr in jaxprs)
        results = iter(bind(cond_primitive, index, *inputs, branches=kept))
        return staged[first][1].rebuild([next(results) if i is None else inputs[i] for i in passed])

    def while_loop(self, cond_fun: Callable[..., Any], body_fun: Callable[..., Any], init_val: Any) -> Any:
        """``lax.while_loop``: the carry keeps its structure and type."""
        leaves, structure = self._registry.flatten(init_val)

        def trace(carry: list[Any]) -> tuple[Jaxpr, Jaxpr, Structure]:
            avals = [leaf.aval for leaf in carry]
            around = Structure(tuple, None, (structure,), lambda _, c: tuple(c), ("",))
            test, found = self._stage(cond_fun, around, avals)
            if found != LEAF or test.out_avals[0].strong != Aval((), np.dtype(bool)):
                told = ", ".join(map(str, test.out_avals))
                raise StagingTypeError(f"cond_fun must return a boolean scalar, but got {told}.")
            return test, *self._stage(body_fun, around, avals)

        carry = [operand_of(leaf) for leaf in leaves]
        test, body, out = trace(carry)
        widened = _widened(carry, body.out_avals)
        if widened is not None:
            carry = widened
            test, body, out = trace(carry)
        _check_carry("while_loop body", structure, [c.aval for c in carry], out, body.out_avals)
        return structure.rebuild(_bind_while(test, body, carry))

    def fori_loop(self, lower: Any, upper: Any, body_fun: Callable[..., Any], init_val: Any) -> Any:
        """``lax.fori_loop``: a ``scan`` where both bounds are known, else a ``while_loop``."""
        low: Any = operand_of(lower)
        high: Any = operand_of(upper)
        if not any(isinstance(bound, Tracer) and bound.concrete() is None for bound in (low, high)):
            step = lambda carry, _: ((_next(carry[0]), body_fun(*carry)), None)  # noqa: E731
            return self.scan(step, (lower, init_val), None, length=max(int(high) - int(low), 0))[0][1]
        dtype = promoted(low.aval, high.aval)[0]
        bounds = [b if b.dtype == dtype else convert(b, dtype) for b in (low, high)]
        advance = lambda c: (_next(c[0]), c[1], body_fun(c[0], c[2]))  # noqa: E731
        return self.while_loop(lambda c: apply_one(p.lt, c[0], c[1]), advance, (*bounds, init_val))[2]

    def scan(
        self, f: Callable[..., Any], init: Any, xs: Any = None, length: int | None = None, reverse: bool = False
    ) -> Any:
        """``lax.scan``: a loop of known length over leading axes."""
        leaves, structure = self._registry.flatten(init)
        columns, xs_structure = self._registry.flatten(xs)
        carry, columns = [operand_of(leaf) for leaf in leaves], [operand_of(column) for column in columns]
        lengths = {len(column) for column in columns} | ({length} if length is not None else set())
        if len(lengths) != 1:
            raise StagingValueError(f"scan got values with different leading axis sizes: {sorted(lengths)}.")
        both = Structure(tuple, None, (structure, xs_structure), lambda _, c: tuple(c), ("[0]", "[1]"))
        rows = [column.aval._replace(shape=column.shape[1:]) for column in columns]

        def trace(carry: list[Any]) -> tuple[Jaxpr, Structure]:
            jaxpr, out = self._stage(f, both, [*(c.aval for c in carry), *rows])
            if out.kind is not tuple or len(out.children) != 2:
                raise StagingTypeError(f"scan body output must be a pair, got {out}.")
            return jaxpr, out

        jaxpr, out = trace(carry)
        widened = _widened(carry, jaxpr.out_avals)
        if widened is not None:
            carry = widened
            jaxpr, out = trace(carry)
        _check_carry("scan body", structure, [c.aval for c in carry], out.children[0], jaxpr.out_avals)
        return out.rebuild(_bind_scan(jaxpr, carry, columns, lengths.pop(), reverse))


def _next(index: Any) -> Any:
    return apply_one(p.add, index, number_like(index, 1))


def _with_common_constants(jaxprs: list[Jaxpr], order: list[int]) -> tuple[list[Jaxpr], list[Any]]:
    """Give all branches the same leading inputs, one for each constant that any of them captured."""
    merged = {id(value): value for i in order for value in jaxprs[i].values}
    with_all = []
    for jaxpr in jaxprs:
        own = dict(zip(map(id, jaxpr.values), jaxpr.constants, strict=True))
        first = [own.get(identity) or Variable(value.aval) for identity, value in merged.items()]
        with_all.append(Jaxpr([], [], first + jaxpr.inputs, jaxpr.equations, jaxpr.outputs))
    return with_all, list(merged.values())


def _check_branches(name: str, staged: list[tuple[Jaxpr, Structure]]) -> None:
    (first, structure), *others = staged
    for jaxpr, found in others:
        if found != structure:
            raise StagingTypeError(
                f"{name} branch outputs must have the same pytree structure, but they differ: {structure} and {found}."
            )
        if [a.strong for a in jaxpr.out_avals] != [a.strong for a in first.out_avals]:
            told = [", ".join(map(str, j.out_avals)) for j in (first, jaxpr)]
            raise StagingTypeError(
                f"{name} branches must have equal output types but they differ: {told[0]} and {told[1]}."
            )


def _check_carry(name: str, structure: Structure, avals: list[Aval], out: Structure, out_avals: list[Aval]) -> None:
    if out != structure:
        raise StagingTypeError(
            f"{name} function carry input and carry output must have the same pytree structure, but they differ: "
            f"{structure} and {out}."
        )
    for path, before, after in zip(structure.paths(), avals, out_avals, strict=False):
        if before.strong != after.strong:
            raise StagingTypeError(
                f"{name} function carry input and carry output must have equal types, but they differ: the input carry "
                f"component {path or 'itself'} has type {before} but the corresponding output has type {after}."
            )


def _widened(carry: list[Any], out_avals: list[Aval]) -> list[Any] | None:
    """The carry with weak values converted to what the body makes of them, or None where nothing changes."""
    changed = [c.weak_type and c.aval.strong != a.strong for c, a in zip(carry, out_avals, strict=False)]
    if not any(changed):
        return None
    pairs = zip(carry, out_avals, changed, strict=False)
    return [convert(c, promoted(c.aval, a)[0]) if change else c for c, a, change in pairs]


def _bind_while(test: Jaxpr, body: Jaxpr, carry: list[Any]) -> list[Any]:
    test_values, body_values = test.values, body.values
    test, body = test.with_constants_first(), body.with_constants_first()
    used = {atom for equation in test.equations for atom in equation.inputs} | set(test.outputs)
    reads = [variable in used for variable in test.inputs[len(test_values) :]]
    n = len(body_values)
    moved = [i + n == f and not reads[i] for i, f in enumerate(_forwarded(body))]
    kept = [i for i, move in enumerate(moved) if not move]
    away = [i for i, move in enumerate(moved) if move]
    order = [*(i + n for i in away), *range(n), *(i + n for i in kept)]
    body = _keep(body, [not move for move in moved], order)
    test = _keep(test, [True], [*range(len(test_values)), *(i + len(test_values) for i in kept)])
    constants = [*test_values, *(carry[i] for i in away), *body_values]
    params = {"cond_jaxpr": test, "cond_nconsts": len(test_values), "body_jaxpr": body, "body_nconsts": n + len(away)}
    results = bind(while_primitive, *constants, *(carry[i] for i in kept), **params)
    return [carry[i] if move else results[kept.index(i)] for i, move in enumerate(moved)]


def _bind_scan(jaxpr: Jaxpr, carry: list[Any], columns: list[Any], length: int, reverse: bool) -> list[Any]:
    constants, carried = list(jaxpr.values), len(carry)
    jaxpr, n = jaxpr.with_constants_first(), len(constants)
    forwarded = _forwarded(jaxpr)
    away = [i for i in range(carried) if forwarded[i] == i + n]
    kept = [i for i in range(carried) if i not in away]
    # A result that is a row of the input is the input; it is left out of the loop.
    through = [f - n - carried if f is not None and f >= n + carried else None for f in forwarded[carried:]]
    outputs = [i in kept for i in range(carried)] + [t is None for t in through]
    order = [*(i + n for i in away), *range(n), *(i + n for i in kept), *range(n + carried, len(jaxpr.inputs))]
    operands = [*(carry[i] for i in away), *constants, *(carry[i] for i in kept), *columns]
    params = {"jaxpr": _keep(jaxpr, outputs, order), "length": length, "reverse": reverse, "unroll": 1}
    results = bind(scan_primitive, *operands, num_consts=n + len(away), num_carry=len(kept), **params)
    final = [carry[i] if i in away else results[kept.index(i)] for i in range(carried)]
    rest = iter(results[len(kept) :])
    return final + [next(rest) if t is None else columns[t] for t in through]
