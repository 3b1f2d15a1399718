"""A function over ragged arrays that compiles once per bucket."""

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from types import MethodType
from typing import Any

import jax
import numpy as np

from stagelight.adapters.symbolic_context import is_tracer
from stagelight.bucketing.account import Account
from stagelight.bucketing.announcements import announce_call, announce_compile, announce_exact, looking, text_of_sizes
from stagelight.bucketing.arguments import Arguments, Layout
from stagelight.bucketing.cross_check import common_part, outputs_of_part, signature_of
from stagelight.bucketing.first_call import check_equal
from stagelight.bucketing.options import Options
from stagelight.bucketing.output_plan import PaddedOutputs, in_form, true_results
from stagelight.bucketing.padding import padded_values
from stagelight.bucketing.program import Inconclusive, Program
from stagelight.bucketing.programs import Programs
from stagelight.bucketing.refusals import refusal_from
from stagelight.bucketing.sizes_of_arguments import RaggedArgument, check_leaves, measured
from stagelight.bucketing.warming import capacities_to_warm, padded_specs, run_all
from stagelight.errors import BucketingRefused
from stagelight.model.bucket import BucketReport

# A call may find that its bucket's program must be narrowed, then that it does not hold for its sizes, then run.
_ATTEMPTS = 4


class _Call:
    """One call: what was passed, in order, and the sizes that were read off it."""

    __slots__ = ("args", "kwargs", "layout", "ragged", "sizes", "values")

    def __init__(self, arguments: Arguments, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs
        self.layout: Layout
        self.values: Sequence[Any]
        self.layout, self.values = arguments.arranged(args, kwargs)
        self.sizes: dict[str, Any]
        self.ragged: list[RaggedArgument]
        self.sizes, self.ragged = measured(self.layout, self.values, arguments.declaration.names)


class BucketedFunction:
    """A function that pads ragged arguments, compiles once per bucket, and gives results of the true size.

    Made by `stagelight.bucketed`, which documents its options.
    """

    def __init__(self, function: Callable[..., Any], dims: Any, options: Options) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._options = options
        self._arguments = Arguments(function, dims, options.static, options.donated)
        self._names = self._arguments.declaration.names
        self._programs = Programs(function, self._names, options)
        self._account = Account(function, self._names)
        self._exact = jax.jit(function, static_argnames=tuple(sorted(self._arguments.static)) or None)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method, the first argument is the instance."""
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<bucketed {self._account.function} over {', '.join(self._names)}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function; the result is that of the unpadded function.

        Raises:
            UsageError: The arguments do not have the axes that ``dims`` names, one size has two values, or a size is
                beyond the largest bucket.
            BucketingRefused: Padding would change the result and no rule masks it (with ``on_unsupported="error"``).
            BucketMismatch: The first call of a bucket differed from the unpadded function.
        """
        call = _Call(self._arguments, args, kwargs)
        true_sizes = tuple([call.sizes[name] for name in self._names])
        capacities = self._programs.capacities(true_sizes)
        if capacities is None:
            return self._run_small_or_symbolic(call, true_sizes)
        for _ in range(_ATTEMPTS):
            program = self._programs.holding(call.layout, call.values, call.sizes, capacities)
            if program is None:
                break
            if program.refused is not None:
                return self._refuse(program.refused, call, true_sizes)
            outputs = self._attempt(program, call)
            if outputs is not None:
                self._account.add_call(capacities, true_sizes)
                announce_call(self._account.function, program.bucket)
                return true_results(outputs, call.sizes, self._options.outputs)
        return self._run_exactly(call, true_sizes, "the function asks for a condition that these sizes alone meet")

    @property
    def compiles(self) -> int:
        """How many executables were made: one a bucket, and one for each size that ran without padding."""
        programs = [program for found in self._programs.by_bucket().values() for program in found]
        return sum(program.executables for program in programs) + self._account.exact_executables()

    def buckets(self) -> BucketReport:
        """What happened until now: buckets with calls, padding and compile time, and every mask with its line."""
        return self._account.report(self._programs.by_bucket(), self._programs.store)

    def warm(
        self,
        *args: Any,
        sizes: Any = None,
        buckets: Any = None,
        progress: Callable[[str], None] | None = None,
        executor: Any = None,
        **kwargs: Any,
    ) -> BucketReport:
        """Compile buckets before their first call, from shapes alone.

        A warmed bucket's first call is not compared with the unpadded function, since that would compile it.

        Args:
            *args: Arguments as in a call: arrays, or ``jax.ShapeDtypeStruct`` in their place. The sizes of their
                ragged axes do not matter.
            sizes: The sizes to come; every bucket that holds one is compiled. A list of integers where there is one
                dimension, of dicts by name, or a dict of lists by name for all combinations.
            buckets: Capacities instead of sizes, in the same forms.
            progress: Called with a line of text after each bucket, such as ``print``.
            executor: A ``concurrent.futures.Executor`` to compile in; one bucket after another without it.
            **kwargs: Arguments as in a call.

        Returns:
            The report, with the warmed buckets.

        Raises:
            UsageError: Neither sizes nor buckets are given, or one does not fit the bucket policy.
            BucketingRefused: The function cannot be bucketed.
        """
        call = _Call(self._arguments, args, kwargs)
        wanted = capacities_to_warm(self._names, self._programs.policies, sizes, buckets)
        run_all([functools.partial(self._warm_one, call, capacities) for capacities in wanted], executor, progress)
        return self.buckets()

    def _warm_one(self, call: _Call, capacities: tuple[int, ...]) -> str:
        sizes = dict(zip(self._names, capacities, strict=True))
        program = self._programs.holding(call.layout, call.values, sizes, capacities)
        if program is None:
            return f"{text_of_sizes(self._names, capacities)} runs without padding"
        specs = padded_specs(call.layout, call.values, sizes)
        with program.lock:
            started, traced_s = time.perf_counter(), self._programs.store.trace_s
            try:
                program.run.lower([jax.ShapeDtypeStruct((), np.int32)] * len(program.names), *specs).compile()
            except Inconclusive as inconclusive:
                raise refusal_from(inconclusive.reason) from inconclusive.reason
            compile_s = time.perf_counter() - started - (self._programs.store.trace_s - traced_s)
            program.compile_s += compile_s
            program.warmed = program.ready = True
        announce_compile(self._account.function, program.bucket, compile_s)
        return f"{program.bucket} compiled in {compile_s:.2f} s"

    # One call

    def _attempt(self, program: Program, call: _Call) -> PaddedOutputs | None:
        """Run a program; None where it turned out not to hold, and another must be found."""
        if program.ready:
            return self._execute(program, call)
        with program.lock:
            if program.refused is not None:
                return None
            return self._execute(program, call) if program.ready else self._execute_first(program, call)

    def _execute_first(self, program: Program, call: _Call) -> PaddedOutputs | None:
        if not self._options.check_first or any(map(is_tracer, jax.tree.leaves(call.values))):
            return self._execute(program, call)
        signature = signature_of(call.layout, call.values, call.ragged)
        compared = None if call.layout.donated else self._programs.compared_like(program, signature)
        # Before the program, which may take over the buffers of donated arguments.
        expected = self._unpadded_to_compare(call) if compared is None else None
        outputs = self._execute(program, call)
        if outputs is None:
            return None
        if compared is None or not self._agrees_with(compared, program, call):
            expected = self._unpadded_to_compare(call) if compared is not None else expected
            got = true_results(outputs, call.sizes, self._compared_form)
            check_equal(got, expected, function=self._account.function, bucket=program.bucket)
        program.compared_as = signature
        return outputs

    def _agrees_with(self, compared: Program, program: Program, call: _Call) -> bool:
        """Hold a bucket against one that was compared before; False where no part of the call is fit for both."""
        part = common_part(compared, program, call.sizes, call.ragged)
        if part is None:
            return False
        poison = self._options.padding == "poison"
        try:
            results = [
                true_results(
                    outputs_of_part(one, call.layout, call.values, part, poison=poison), part[0], self._compared_form
                )
                for one in (compared, program)
            ]
            jax.block_until_ready(results)
        except Exception:  # what the function says of data that is cut short is nothing that the user asked for
            return False
        check_equal(
            results[1], results[0], function=self._account.function, bucket=program.bucket, against=compared.bucket
        )
        return True

    @property
    def _compared_form(self) -> str:
        return "jax" if self._options.outputs == "padded" else self._options.outputs

    def _unpadded_to_compare(self, call: _Call) -> Any:
        with looking():
            return self._unpadded(call)

    def _execute(self, program: Program, call: _Call) -> PaddedOutputs | None:
        values = padded_values(program, call.layout, call.values, call.ragged, poison=self._options.padding == "poison")
        sizes = [np.int32(call.sizes[name]) for name in program.names]
        known, started, traced_s = program.executables, time.perf_counter(), self._programs.store.trace_s
        try:
            outputs = program.run(sizes, *values)
        except Inconclusive as inconclusive:
            if not self._programs.narrow(program, call.sizes):
                jax.eval_shape(self._exact, *call.args, **call.kwargs)  # an error of the user's own is raised as it is
                program.refused = refusal_from(inconclusive.reason)
            return None
        except BucketingRefused as refused:
            program.refused = refused
            return None
        except TypeError:
            check_leaves(call.layout, call.values)
            raise
        if program.executables == known:
            return outputs
        compile_s = time.perf_counter() - started - (self._programs.store.trace_s - traced_s)
        return self._after_compile(program, call, outputs, compile_s)

    def _after_compile(
        self, program: Program, call: _Call, outputs: PaddedOutputs, compile_s: float
    ) -> PaddedOutputs | None:
        if any(map(is_tracer, outputs.arrays)):
            program.executables -= 1  # it became a part of the program that is being traced
        else:
            program.compile_s += compile_s
            program.ready = True
            announce_compile(self._account.function, program.bucket, compile_s)
        return None if program.rejects(call.sizes) else outputs

    # Without padding

    def _unpadded(self, call: _Call) -> Any:
        try:
            return self._exact(*call.args, **call.kwargs)
        except TypeError:
            check_leaves(call.layout, call.values)
            raise

    def _run_small_or_symbolic(self, call: _Call, sizes: tuple[Any, ...]) -> Any:
        if any(type(size) is not int for size in sizes):
            # Inside the symbolic trace of another bucketed function, which masks this one's primitives too.
            return self._function(*call.args, **call.kwargs)
        return self._run_exactly(call, sizes, "a size below 2, which JAX treats apart")

    def _run_exactly(self, call: _Call, sizes: tuple[int, ...], why: str) -> Any:
        self._account.add_exact(sizes, why)
        announce_exact(self._account.function, text_of_sizes(self._names, sizes), why)
        result = self._unpadded(call)
        plan = self._programs.plan(call.layout, call.values, call.sizes)
        return result if plan is None else in_form(result, plan, self._options.outputs)

    def _refuse(self, refused: Exception, call: _Call, sizes: tuple[int, ...]) -> Any:
        self._account.refused = str(refused)
        if self._options.on_unsupported == "exact":
            return self._run_exactly(call, sizes, str(refused).split("\n", 1)[0])
        raise refused
