"""Batching: ``vmap`` as a trace whose operands carry a hidden leading axis.

Follows ``jax/_src/interpreters/batching.py`` and the batching rules beside the primitives. Where JAX has a rule that
needs a gather, the batch is unrolled here; the values are the same.
"""

from collections.abc import Callable, Sequence
from typing import Any

from stagelight.reference import control_flow as c
from stagelight.reference import primitive as p
from stagelight.reference.elementwise import apply_one, broadcast_to, where
from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.operand import Operand, Tracer
from stagelight.reference.rearrangement import reshape, stack, take_index
from stagelight.reference.reduction import any_
from stagelight.reference.staged_call import jit
from stagelight.reference.trace import Trace, bind, evaluate, operand_of, own, running, stage

# How the parameters change when an axis appears in front of the operand.
_SHIFTED: dict[str, Callable[[p.Params, int, tuple[int, ...]], p.Params]] = {
    "broadcast_in_dim": lambda k, n, _: {
        "shape": (n, *k["shape"]),
        "broadcast_dimensions": (0, *_up(k["broadcast_dimensions"])),
    },
    "reshape": lambda k, n, _: {**k, "new_sizes": (n, *k["new_sizes"])},
    "squeeze": lambda k, n, _: {"dimensions": _up(k["dimensions"])},
    "transpose": lambda k, n, _: {"permutation": (0, *_up(k["permutation"]))},
    "rev": lambda k, n, _: {"dimensions": _up(k["dimensions"])},
    "concatenate": lambda k, n, _: {"dimension": k["dimension"] + 1},
    "stack": lambda k, n, _: {"axis": k["axis"] + 1},
    "unstack": lambda k, n, _: {"axis": k["axis"] + 1},
    "cumsum": lambda k, n, _: {**k, "axis": k["axis"] + 1},
    "slice": lambda k, n, _: {
        "start_indices": (0, *k["start_indices"]),
        "limit_indices": (n, *k["limit_indices"]),
        "strides": k["strides"] and (1, *k["strides"]),
    },
    "dot_general": lambda k, n, _: {**k, "dimension_numbers": _with_batch(k["dimension_numbers"])},
    **{
        name: lambda k, n, _: {**k, "axes": _up(k["axes"])}
        for name in (
            "reduce_sum",
            "reduce_prod",
            "reduce_max",
            "reduce_min",
            "reduce_and",
            "reduce_or",
            "argmax",
            "argmin",
        )
    },
}


def _up(axes: Sequence[int]) -> tuple[int, ...]:
    return tuple(axis + 1 for axis in axes)


def _with_batch(numbers: Any) -> Any:
    (x, y), (bx, by) = numbers
    return ([*_up(x)], [*_up(y)]), ([0, *_up(bx)], [0, *_up(by)])


class BatchTrace(Trace):
    """Applies each primitive to whole batches."""

    label = "VmapTracer"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def lift(self, operand: Operand) -> Tracer:
        """A value that is the same for all elements."""
        return Tracer(self, operand.aval, (operand, False))

    def batched(self, whole: Any) -> Tracer:
        """A tracer for one element of a batch."""
        return Tracer(self, whole.aval._replace(shape=whole.shape[1:]), (whole, True))

    def whole(self, tracer: Tracer) -> Any:
        """The batch a tracer stands for, repeated where all elements are the same."""
        value, is_batched = tracer.payload
        return value if is_batched else _repeated(value, self.size)

    def concrete(self, tracer: Tracer) -> Any:
        """The value where it is the same for all elements."""
        value, is_batched = tracer.payload
        if is_batched:
            return None
        return value.concrete() if isinstance(value, Tracer) else value

    def process(self, primitive: p.Primitive, tracers: list[Any], params: p.Params) -> list[Any]:
        """Apply a primitive to whole batches."""
        if not any(t.payload[1] for t in tracers):
            return [self.lift(r) for r in bind(primitive, *[t.payload[0] for t in tracers], **params)]
        if primitive is jit:
            return [own(self, result) for result in evaluate(params["jaxpr"], *tracers)]
        if primitive.run is not None:
            return self._through_jaxprs(primitive, tracers, params)
        if primitive.name in _SHIFTED:
            shifted = _SHIFTED[primitive.name](params, self.size, ())
            return [self.batched(r) for r in bind(primitive, *map(self.whole, tracers), **shifted)]
        if primitive.name in ("dynamic_slice", "place"):
            return self._unrolled(primitive, tracers, params)
        rank = max(len(t.shape) for t in tracers)
        operands = [self._aligned(t, rank) for t in tracers]
        if primitive is p.select_n and operands[0].ndim:
            shape = (self.size, *tracers[1].shape)
            operands = [broadcast_to(operand, shape) for operand in operands]
        return [self.batched(bind(primitive, *operands, **params)[0])]

    def _aligned(self, tracer: Tracer, rank: int) -> Any:
        value, is_batched = tracer.payload
        if not is_batched:
            return reshape(value, (1, *value.shape)) if value.ndim else value
        return reshape(value, (self.size, *[1] * (rank - len(tracer.shape)), *tracer.shape))

    def _unrolled(self, primitive: p.Primitive, tracers: list[Any], params: p.Params) -> list[Any]:
        wholes = [self.whole(t) for t in tracers]
        rows = [bind(primitive, *[take_index(w, i) for w in wholes], **params) for i in range(self.size)]
        return [self.batched(stack(column)) for column in zip(*rows, strict=True)]

    def _through_jaxprs(self, primitive: p.Primitive, tracers: list[Any], params: p.Params) -> list[Any]:
        if primitive is c.cond_primitive and tracers[0].payload[1]:
            return self._select(tracers, params)
        if primitive is c.cond_primitive:
            branches = tuple(self._batched_jaxpr(branch) for branch in params["branches"])
            operands = [tracers[0].payload[0], *map(self.whole, tracers[1:])]
            return [self.batched(r) for r in bind(primitive, *operands, branches=branches)]
        if primitive is c.while_primitive:
            return self._while(list(map(self.whole, tracers)), params)
        first = params["num_consts"] + params["num_carry"]
        wholes = [self.whole(t) for t in tracers]
        operands = wholes[:first] + [_swapped(w) for w in wholes[first:]]
        results = bind(primitive, *operands, **{**params, "jaxpr": self._batched_jaxpr(params["jaxpr"])})
        carried = params["num_carry"]
        return [self.batched(r if i < carried else _swapped(r)) for i, r in enumerate(results)]

    def _select(self, tracers: list[Any], params: p.Params) -> list[Any]:
        """Both branches run, and a select picks: what a ``cond`` becomes under ``vmap``."""
        index, *operands = tracers
        found = [[own(self, r) for r in evaluate(branch, *operands)] for branch in params["branches"]]
        results = []
        for outputs in zip(*found, strict=True):
            chosen = outputs[0]
            for i, output in enumerate(outputs[1:], 1):
                chosen = where(index >= i, output, chosen)
            results.append(own(self, chosen))
        return results

    def _batched_jaxpr(self, jaxpr: Jaxpr) -> Jaxpr:
        def run(*wholes: Any) -> list[Any]:
            return batch(lambda *xs: evaluate(jaxpr, *xs), wholes, self.size)

        return stage(run, [a._replace(shape=(self.size, *a.shape)) for a in jaxpr.in_avals], "vmap")

    def _while(self, operands: list[Any], params: p.Params) -> list[Any]:
        """The loop goes on while any element does; elements that are done keep their values."""
        n, m = params["cond_nconsts"], params["body_nconsts"]
        test, body = self._batched_jaxpr(params["cond_jaxpr"]), self._batched_jaxpr(params["body_jaxpr"])
        constants, carry = operands[: n + m], operands[n + m :]
        avals = [operand.aval.strong for operand in carry]

        def goes_on(*values: Any) -> list[Any]:
            return [any_(evaluate(test, *values)[0])]

        def step(*values: Any) -> list[Any]:
            state = values[n + m :]
            going = evaluate(test, *values[:n], *state)[0]
            moved = evaluate(body, *values[n : n + m], *state)
            pick = lambda new, old: where(reshape(going, (self.size, *[1] * (old.ndim - 1))), new, old)  # noqa: E731
            return [pick(new, old) for new, old in zip(moved, state, strict=True)]

        around = [operand.aval for operand in constants]
        whole = {
            "cond_jaxpr": stage(goes_on, [*around[:n], *avals], "cond"),
            "body_jaxpr": stage(step, [*around, *avals], "body"),
        }
        results = bind(
            c.while_primitive, *constants[:n], *constants, *carry, cond_nconsts=n, body_nconsts=n + m, **whole
        )
        return [self.batched(result) for result in results]


def _repeated(value: Any, size: int) -> Any:
    axes = tuple(range(1, value.ndim + 1))
    return apply_one(p.broadcast_in_dim, value, shape=(size, *value.shape), broadcast_dimensions=axes)


def _swapped(x: Any) -> Any:
    return apply_one(p.transpose, x, permutation=(1, 0, *range(2, x.ndim)))


def batch(
    function: Callable[..., list[Any]], wholes: Sequence[Any], size: int, mapped: Sequence[bool] | None = None
) -> list[Any]:
    """Run a function of single elements on batches with the batch axis in front."""
    trace = BatchTrace(size)
    with running(trace):
        given = zip(wholes, mapped or [True] * len(wholes), strict=True)
        inputs = [trace.batched(operand_of(w)) if is_mapped else w for w, is_mapped in given]
        results = [own(trace, operand_of(result)) for result in function(*inputs)]
        return [trace.whole(result) for result in results]
