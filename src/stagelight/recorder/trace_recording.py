"""Record traces: what JAX was asked for, whether the body ran, what came out."""

import time
import weakref
from operator import attrgetter
from typing import Any, NamedTuple

from msgspec.structs import replace

from stagelight.adapters.equation_lines import EquationLines
from stagelight.adapters.equations import baked_arrays, count_equations
from stagelight.adapters.protocol import TraceCall
from stagelight.adapters.tracers import aval_from_jax
from stagelight.model.aval import Aval
from stagelight.model.event import Constant, LineCount, Traced
from stagelight.model.site import Site
from stagelight.recorder.book import Book, OpenTrace
from stagelight.recorder.call_arguments import CallArguments, call_arguments
from stagelight.recorder.call_site import TRACER_TRANSFORMATIONS
from stagelight.recorder.equinox_call import EquinoxCall
from stagelight.recorder.function_registry import Identity, closure_of
from stagelight.recorder.jit_options import JitOptions
from stagelight.recorder.shape_placements import placements_of_shapes
from stagelight.recorder.structures import arguments_from_trees

UNROLLED_AT_LEAST = 8
CONSTANT_AT_LEAST_BYTES = 16 * 1024
_MOST_TOLD = 8
_MOST_AVALS = 1024
_FIRST_SWEEP = 4096


class Lines(NamedTuple):
    """The lines of a trace that are worth telling."""

    unrolled: tuple[LineCount, ...] = ()
    selects: tuple[Site, ...] = ()


NO_LINES = Lines()


class KnownJaxpr(weakref.ref[Any]):
    """A jaxpr, weakly, with what is worth remembering of the call that made it, for the dispatches that use it later.

    JAX keeps tens of thousands of them: avals are read from the jaxpr again when they are asked for.
    """

    __slots__ = ("known", "trace")

    known: tuple[Any, ...]
    trace: int


_KEPT = ("function", "object", "jit", "structure", "static", "options")
_KEPT_OF = attrgetter(*_KEPT)


class TraceRecording:
    """Turns trace hooks into ``Traced`` entries.

    Each trace runs this once, with the caches of the processor full of JAX: what it costs is how much code and how many
    objects it touches, not how long they take when run again and again.

    Args:
        book: The shared state.
        tracers: Types of the tracers among some leaves.
    """

    def __init__(self, book: Book, tracers: Any):
        self._book = book
        self._tracers = tracers
        self._options = JitOptions()
        self._avals: dict[Any, Aval] = {}
        self._aval_at: dict[int, tuple[Any, Aval]] = {}
        self.jaxprs: dict[int, KnownJaxpr] = {}
        self._latest: dict[int, tuple[Any, ...]] = {}
        self._lines: dict[int, tuple[EquationLines, Lines]] = {}
        self._sweep_at = _FIRST_SWEEP

    def begin(self, call: TraceCall) -> OpenTrace:
        """Describe a call that is about to be traced, and open it."""
        began = time.perf_counter()
        opened = self.described(call, began)
        if self._book.before:
            self._book.write_before(opened.identity.object)
        self._book.thread.traces.append(opened)
        return opened

    def described(self, call: TraceCall, began: float) -> OpenTrace:
        """What is known of a call before it is traced."""
        book, fun = self._book, call.fun
        functions, state = book.functions, book.thread
        given = call_arguments(fun, call.args, call.kwargs, call.jit, call.tree_names)
        identity = book.function(fun, given.static)
        function = identity.function
        avals = tuple([self.aval(a) for a in call.avals])
        structure, static = self._structure_of(call, given, identity, len(avals))
        made_at, made_times = functions.where_made(fun, identity)
        site = book.site(call.frame)
        tracers = self._tracers(call.leaves or ())
        placements, placement_of = (), ()
        if "lower" in site.under and call.leaves is not None:
            placements, placement_of = placements_of_shapes(call.leaves)
        traced = Traced(
            at_s=began - book.started,
            trace=book.next_number("trace"),
            function=function.number,
            parent=state.traces[-1].traced.trace if state.traces else 0,
            object=identity.object,
            earlier_object_alive=functions.earlier_object_alive(identity),
            jit=id(call.jit) & 0xFFFFFFFF,
            made_at=made_at,
            made_times=made_times,
            captured=functions.captured(fun, identity),
            structure=structure,
            avals=avals,
            static=static if function.kind != "eager" else self._parameters_of(fun),
            positional=given.positional,
            keywords=given.keywords,
            context=book.context(call.mesh),
            options=self._options.of(call.jit),
            placements=placements,
            placement_of=placement_of,
            under=with_transformations_of(tracers, site.under) if tracers else site.under,
            call=site.call,
            user=site.user,
            thread=state.number,
        )
        return OpenTrace(traced, fun, identity, given.static, began)

    def _structure_of(
        self, call: TraceCall, given: CallArguments, identity: Identity, leaves: int
    ) -> tuple[str, tuple[Any, ...]]:
        book = self._book
        if identity.function.wrapper == "eqx.filter_jit":
            rebuilt = EquinoxCall(given.static["static"], identity.function.parameters, book.describer)
            structure = rebuilt.with_leaves(leaves)
            return book.built_structure(rebuilt.token, structure), rebuilt.static
        trees = call.trees
        if trees is None or len(trees) != len(given.dynamic_names):
            return "", self._described(given.static)
        static = self._described(given.static) if given.static else ()
        if leaves == len(trees) and all(tree.num_nodes == 1 for tree in trees):  # each argument is an array
            return book.structure_of_leaves(given.dynamic_names), static
        arguments = arguments_from_trees(trees, given.dynamic_names, book.describer)
        return book.structure(arguments, call.leaf_names), static

    def _described(self, static: dict[str, Any]) -> tuple[Any, ...]:
        return tuple((name, self._book.describer.describe(value)) for name, value in static.items())

    def _parameters_of(self, fun: Any) -> tuple[Any, ...]:
        """Parameters of an eager primitive: they are part of its key as static arguments are of a function's."""
        found = dict(closure_of(fun)).get("params") or {}
        return self._described({k: v for k, v in found.items() if not hasattr(v, "eqns") and not hasattr(v, "jaxpr")})

    def aval(self, aval: Any) -> Aval:
        """The record of one of JAX's avals, made once. Avals hash in Python: the latest are known by address too."""
        at = self._aval_at.get(id(aval))
        if at is not None:  # JAX's object is held, so that its address is its own
            return at[1]
        if len(self._avals) >= _MOST_AVALS or len(self._aval_at) >= _MOST_AVALS:
            self._avals.clear()
            self._aval_at.clear()
        record = self._avals.get(aval)
        if record is None:
            record = self._avals[aval] = aval_from_jax(aval)
        self._aval_at[id(aval)] = aval, record
        return record

    def end(self, parameters: Any, error: BaseException | None, *, has_body_hook: bool) -> Traced:
        """Close the innermost trace and write it."""
        book, state = self._book, self._book.thread
        ended = time.perf_counter()
        opened = state.traces.pop()
        trace_s = ended - opened.began
        if state.traces:
            state.traces[-1].child_s += trace_s
        equations, lines, constants = 0, NO_LINES, ()
        if parameters is not None:
            jaxpr = parameters.params["jaxpr"]
            state.last_parameters, state.last_trace = id(parameters), opened.traced.trace
            self.remember(jaxpr, opened)
            if opened.ran:
                equations, lines = self._equations_of(jaxpr, opened.traced.function)
                constants = self._constants(jaxpr, opened) if getattr(jaxpr, "consts", None) else ()
        traced = replace(
            opened.traced,
            ran=opened.ran or not has_body_hook,
            trace_s=trace_s,
            self_s=trace_s - opened.child_s,
            failed=error is not None,
            equations=equations,
            unrolled=lines.unrolled,
            constants=constants,
            side_effects=tuple(opened.effects),
            selects=lines.selects,
            rerun_of_cell=opened.identity.function.file in book.files_run_again,
        )
        book.write(traced)
        return traced

    def _equations_of(self, jaxpr: Any, function: int) -> tuple[int, Lines]:
        """How many equations there are, and the lines worth telling; a retrace mostly has those of the trace before."""
        known = self._lines.get(function)
        if known is not None and known[0].are_those_of(jaxpr):
            return known[0].equations or count_equations(jaxpr), known[1]
        equations = count_equations(jaxpr)
        found = EquationLines(jaxpr, self._book.ownership.own_files.__getitem__, UNROLLED_AT_LEAST)
        unrolled = [
            LineCount(Site(c.co_filename, line, c.co_qualname), r, e) for c, line, r, e in found.repeated[:_MOST_TOLD]
        ]
        selects = [Site(c.co_filename, line, c.co_qualname) for c, line in found.selects[:_MOST_TOLD]]
        told = Lines(tuple(unrolled), tuple(selects))
        self._lines[function] = (found, told)
        return equations, told

    def _constants(self, jaxpr: Any, opened: OpenTrace) -> tuple[Constant, ...]:
        large = [c for c in baked_arrays(jaxpr) if c.nbytes >= CONSTANT_AT_LEAST_BYTES]
        if not large:
            return ()
        names = {id(v): n for n, v in (*array_globals_of(opened.identity.inner), *closure_of(opened.identity.inner))}
        found = [
            Constant(name=names.get(id(c), ""), aval=Aval(tuple(c.shape), c.dtype.name), size_bytes=int(c.nbytes))
            for c in large
        ]
        return tuple(sorted(found, key=lambda c: -c.size_bytes)[:_MOST_TOLD])

    def remember(self, jaxpr: Any, opened: OpenTrace) -> None:
        """Know the call again by its jaxpr, as long as that lives."""
        traced = opened.traced
        if traced.parent and not opened.identity.function.own:
            return  # a library's jit inside another trace: thousands of them, hardly ever dispatched on their own
        known = _KEPT_OF(traced)
        latest = self._latest.get(traced.function)
        if latest == known:
            known = latest
        else:
            self._latest[traced.function] = known
        try:
            mark = KnownJaxpr(jaxpr)
        except TypeError:
            return
        mark.known, mark.trace = known, traced.trace
        self.jaxprs[id(jaxpr)] = mark
        if len(self.jaxprs) >= self._sweep_at:
            self.jaxprs = {address: mark for address, mark in self.jaxprs.items() if mark() is not None}
            self._sweep_at = max(_FIRST_SWEEP, 2 * len(self.jaxprs))

    def known_jaxpr(self, jaxpr: Any) -> dict[str, Any] | None:
        """What was recorded of the call that made a jaxpr, while that jaxpr lives."""
        mark = self.jaxprs.get(id(jaxpr))
        if mark is None or mark() is not jaxpr:
            return None
        fields = dict(zip(_KEPT, mark.known, strict=True))
        fields["trace"] = mark.trace
        fields["avals"] = tuple(self.aval(a) for a in jaxpr.in_avals)
        return fields


def with_transformations_of(tracers: tuple[str, ...], under: tuple[str, ...]) -> tuple[str, ...]:
    """What surrounds a call, completed by what the types of its tracers tell."""
    told = (TRACER_TRANSFORMATIONS[t] for t in tracers if t in TRACER_TRANSFORMATIONS)
    return (*under, *(t for t in told if t not in under))


def array_globals_of(inner: Any) -> list[tuple[str, Any]]:
    """Globals that a function and the functions inside it name, by name."""
    code, known = getattr(inner, "__code__", None), getattr(inner, "__globals__", None)
    if code is None or known is None:
        return []
    return [(n, known[n]) for n in code.co_names if n in known]
