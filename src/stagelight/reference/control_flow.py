"""Control flow that is staged: ``cond``, ``switch``, ``while_loop``, ``fori_loop`` and ``scan``.

Follows ``jax/_src/lax/control_flow/conditionals.py`` and ``loops.py``: branches and bodies are traced on avals, must
agree in structure and type, and values that pass through unchanged are taken out of them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stagelight.reference.aval import Aval, promoted
from stagelight.reference.control_primitive import cond_primitive, scan_primitive, while_primitive
from stagelight.reference.jaxpr import Jaxpr, Variable
from stagelight.reference.operations import elementwise as e
from stagelight.reference.operations.arithmetic import convert, number_like
from stagelight.reference.pytree import LEAF, Registry, Structure, tuple_of
from stagelight.reference.staging_error import StagingTypeError, StagingValueError
from stagelight.reference.trace import bind, operand_of, stage

type Function = Callable[..., Any]


class ControlFlow:
    """The functions of ``jax.lax`` that take functions, over the pytrees of one registry."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def _operands(self, tree: Any) -> tuple[list[Any], Structure]:
        leaves, structure = self._registry.flatten(tree)
        return [operand_of(leaf) for leaf in leaves], structure

    def _stage(self, function: Function, arguments: Structure, avals: Sequence[Aval]) -> tuple[Jaxpr, Structure]:
        flat, found = self._registry.flat(lambda leaves: function(*arguments.rebuild(leaves)))
        return stage(flat, avals, getattr(function, "__name__", "")), found[0]

    def cond(self, pred: Any, true_fun: Function, false_fun: Function, *operands: Any) -> Any:
        """``lax.cond``: both branches are traced, one runs."""
        predicate = operand_of(pred)
        if predicate.ndim:
            raise StagingTypeError(f"Pred must be a scalar, got {pred} of shape {predicate.shape}.")
        predicate = predicate if predicate.dtype.kind == "b" else predicate != 0
        # JAX traces the true branch first, which decides the order in which constants are met.
        return self._branch("cond", convert(predicate, np.int32), (false_fun, true_fun), operands, order=(1, 0))

    def switch(self, index: Any, branches: Sequence[Function], *operands: Any) -> Any:
        """``lax.switch``: an index out of range is clamped."""
        which = operand_of(index)
        if which.ndim or which.dtype.kind not in "iu":
            raise StagingTypeError(f"Index type must be an integer, got {which.aval}")
        if not branches:
            raise StagingValueError("Empty branch sequence")
        if len(branches) == 1:
            return branches[0](*operands)
        clamped = e.clamp(np.int32(0), convert(which, np.int32), np.int32(len(branches) - 1))
        return self._branch("switch", clamped, branches, operands, order=range(len(branches)))

    def _branch(self, name: str, index: Any, branches: Sequence[Any], operands: Any, order: Sequence[int]) -> Any:
        leaves, structure = self._operands(operands)
        staged = {i: self._stage(branches[i], structure, [leaf.aval for leaf in leaves]) for i in order}
        _check_branches(name, [staged[i] for i in order])
        jaxprs, constants = _with_common_constants([staged[i][0] for i in range(len(branches))], order)
        inputs = [*constants, *leaves]
        passed = [found[0] if len({*found}) == 1 else None for found in zip(*map(_forwarded, jaxprs), strict=True)]
        kept = tuple(_keep(jaxpr, [i is None for i in passed]) for jaxpr in jaxprs)
        results = iter(bind(cond_primitive, index, *inputs, branches=kept))
        return staged[order[0]][1].rebuild([next(results) if i is None else inputs[i] for i in passed])

    def while_loop(self, cond_fun: Function, body_fun: Function, init_val: Any) -> Any:
        """``lax.while_loop``: the carry keeps its structure and type."""
        carry, structure = self._operands(init_val)

        def trace(avals: list[Aval]) -> tuple[Jaxpr, Jaxpr]:
            test, found = self._stage(cond_fun, tuple_of(structure), avals)
            if found != LEAF or test.out_avals[0].strong != Aval((), np.dtype(bool)):
                raise StagingTypeError(f"cond_fun must return a boolean scalar, but got {test.out_avals}.")
            body, out = self._stage(body_fun, tuple_of(structure), avals)
            _check_structure("while_loop body", structure, out)
            return body, test

        carry, body, test = _settled("while_loop body", structure, carry, trace)
        return structure.rebuild(_bind_while(test, body, carry))

    def fori_loop(self, lower: Any, upper: Any, body_fun: Function, init_val: Any) -> Any:
        """``lax.fori_loop``: a ``scan`` where both bounds are known, else a ``while_loop``."""
        low, high = operand_of(lower), operand_of(upper)
        if low.known() is not None and high.known() is not None:
            step = lambda carry, _: ((_next(carry[0]), body_fun(*carry)), None)  # noqa: E731
            return self.scan(step, (lower, init_val), None, length=max(int(high) - int(low), 0))[0][1]
        dtype = promoted(low.aval, high.aval)[0]
        bounds = [b if b.dtype == dtype else convert(b, dtype) for b in (low, high)]
        advance = lambda c: (_next(c[0]), c[1], body_fun(c[0], c[2]))  # noqa: E731
        return self.while_loop(lambda c: e.lt(c[0], c[1]), advance, (*bounds, init_val))[2]

    def scan(self, f: Function, init: Any, xs: Any = None, length: int | None = None, reverse: bool = False) -> Any:
        """``lax.scan``: a loop of known length over leading axes."""
        (carry, structure), (columns, xs_structure) = self._operands(init), self._operands(xs)
        lengths = {len(column) for column in columns} | ({length} if length is not None else set())
        if len(lengths) != 1:
            raise StagingValueError(f"scan got values with different leading axis sizes: {sorted(lengths)}.")
        rows = [column.aval._replace(shape=column.shape[1:]) for column in columns]

        def trace(avals: list[Aval]) -> tuple[Jaxpr, Structure]:
            jaxpr, out = self._stage(f, tuple_of(structure, xs_structure), [*avals, *rows])
            if out.kind is not tuple or len(out.children) != 2:
                raise StagingTypeError(f"scan body output must be a pair, got {out}.")
            _check_structure("scan body", structure, out.children[0])
            return jaxpr, out

        carry, jaxpr, out = _settled("scan body", structure, carry, trace)
        return out.rebuild(_bind_scan(jaxpr, carry, columns, lengths.pop(), reverse))


def _next(index: Any) -> Any:
    return e.add(index, number_like(index, 1))


def _check_structure(name: str, structure: Structure, out: Structure) -> None:
    if out != structure:
        says = f"{name} function carry input and carry output must have the same pytree structure, but they differ"
        raise StagingTypeError(f"{says}: {structure} and {out}.")


def _settled(name: str, structure: Structure, carry: list[Any], trace: Function) -> tuple[list[Any], Jaxpr, Any]:
    """Trace a body; again where a weak value of the carry has to be converted first to what the body makes of it."""
    jaxpr, more = trace([c.aval for c in carry])
    pairs = list(zip(carry, jaxpr.out_avals, strict=False))
    if any(c.weak_type and c.aval.strong != a.strong for c, a in pairs):
        carry = [
            convert(c, promoted(c.aval, a)[0]) if c.weak_type and c.aval.strong != a.strong else c for c, a in pairs
        ]
        jaxpr, more = trace([c.aval for c in carry])
    for path, before, after in zip(structure.paths(), carry, jaxpr.out_avals, strict=False):
        if before.aval.strong != after.strong:
            says = f"{name} function carry input and carry output must have equal types, but they differ"
            part = f"the input carry component {path or 'itself'} has type {before.aval}"
            raise StagingTypeError(f"{says}: {part} but the corresponding output has type {after}.")
    return carry, jaxpr, more


def _check_branches(name: str, staged: list[tuple[Jaxpr, Structure]]) -> None:
    (first, structure), *others = staged
    for jaxpr, found in others:
        if found != structure:
            says = "outputs must have the same pytree structure, but they differ"
            raise StagingTypeError(f"{name} branch {says}: {structure} and {found}.")
        if [a.strong for a in jaxpr.out_avals] != [a.strong for a in first.out_avals]:
            told = " and ".join(", ".join(map(str, j.out_avals)) for j in (first, jaxpr))
            raise StagingTypeError(f"{name} branches must have equal output types but they differ: {told}.")


def _forwarded(jaxpr: Jaxpr) -> list[int | None]:
    """For each output, which input it is, if it is one."""
    return [jaxpr.inputs.index(out) if out in jaxpr.inputs else None for out in jaxpr.outputs]


def _keep(jaxpr: Jaxpr, outputs: Sequence[bool], order: Sequence[int] | None = None) -> Jaxpr:
    inputs = jaxpr.inputs if order is None else [jaxpr.inputs[i] for i in order]
    kept = [out for out, keep in zip(jaxpr.outputs, outputs, strict=True) if keep]
    return Jaxpr([], [], inputs, jaxpr.equations, kept)


def _with_common_constants(jaxprs: list[Jaxpr], order: Sequence[int]) -> tuple[list[Jaxpr], list[Any]]:
    """Give all branches the same leading inputs, one for each constant that any of them captured."""
    merged = {id(value): value for i in order for value in jaxprs[i].values}
    with_all = []
    for jaxpr in jaxprs:
        own = dict(zip(map(id, jaxpr.values), jaxpr.constants, strict=True))
        first = [own.get(identity) or Variable(value.aval) for identity, value in merged.items()]
        with_all.append(Jaxpr([], [], first + jaxpr.inputs, jaxpr.equations, jaxpr.outputs))
    return with_all, list(merged.values())


def _bind_while(test: Jaxpr, body: Jaxpr, carry: list[Any]) -> list[Any]:
    n, m = len(test.values), len(body.values)
    constants, body_constants = test.values, body.values
    test, body = test.with_constants_first(), body.with_constants_first()
    used = {atom for equation in test.equations for atom in equation.inputs} | {*test.outputs}
    moved = [f == i + m and test.inputs[i + n] not in used for i, f in enumerate(_forwarded(body))]
    kept, away = ([i for i, move in enumerate(moved) if move is wanted] for wanted in (False, True))
    order = [*(i + m for i in away), *range(m), *(i + m for i in kept)]
    body = _keep(body, [not move for move in moved], order)
    test = _keep(test, [True], [*range(n), *(i + n for i in kept)])
    operands = [*constants, *(carry[i] for i in away), *body_constants, *(carry[i] for i in kept)]
    params = {"cond_jaxpr": test, "cond_nconsts": n, "body_jaxpr": body, "body_nconsts": m + len(away)}
    results = dict(zip(kept, bind(while_primitive, *operands, **params), strict=True))
    return [results.get(i, value) for i, value in enumerate(carry)]


def _bind_scan(jaxpr: Jaxpr, carry: list[Any], columns: list[Any], length: int, reverse: bool) -> list[Any]:
    constants, carried, n = list(jaxpr.values), len(carry), len(jaxpr.values)
    jaxpr = jaxpr.with_constants_first()
    forwarded = _forwarded(jaxpr)
    kept, away = ([i for i in range(carried) if (forwarded[i] == i + n) is wanted] for wanted in (False, True))
    # A result that is a row of the input is the input; it is left out of the loop.
    through = [f - n - carried if f is not None and f >= n + carried else None for f in forwarded[carried:]]
    outputs = [i in kept for i in range(carried)] + [t is None for t in through]
    order = [*(i + n for i in away), *range(n), *(i + n for i in kept), *range(n + carried, len(jaxpr.inputs))]
    operands = [*(carry[i] for i in away), *constants, *(carry[i] for i in kept), *columns]
    params = {"jaxpr": _keep(jaxpr, outputs, order), "length": length, "reverse": reverse, "unroll": 1}
    results = iter(bind(scan_primitive, *operands, num_consts=n + len(away), num_carry=len(kept), **params))
    final = [next(results) if i in kept else carry[i] for i in range(carried)]
    return final + [next(results) if t is None else columns[t] for t in through]
