"""What a bucketed function did, counted as it happens."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stagelight.bucketing.program import Program, TraceStore
from stagelight.model.bucket import Bucket, BucketReport, Capacity, ExactRun, SizeCount
from stagelight.sizes.expression import parse


class Account:
    """Calls by bucket and true sizes, and calls that ran without padding."""

    def __init__(self, function: Callable[..., Any], names: tuple[str, ...]) -> None:
        code = getattr(function, "__code__", None)
        self.function = getattr(function, "__qualname__", repr(function))
        self._file = code.co_filename if code else ""
        self._line = code.co_firstlineno if code else 0
        self._names = names
        self._calls: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
        self._exact: dict[tuple[tuple[int, ...], str], int] = {}
        self._lock = threading.Lock()
        self.refused = ""

    def add_call(self, capacities: tuple[int, ...], sizes: tuple[int, ...]) -> None:
        """Count a call of a bucket."""
        with self._lock:
            counts = self._calls.setdefault(capacities, {})
            counts[sizes] = counts.get(sizes, 0) + 1

    def add_exact(self, sizes: tuple[int, ...], why: str) -> None:
        """Count a call that ran without padding."""
        with self._lock:
            self._exact[sizes, why] = self._exact.get((sizes, why), 0) + 1

    def exact_executables(self) -> int:
        """How many different sizes ran without padding."""
        return len({sizes for sizes, _ in self._exact})

    def report(self, programs: Mapping[tuple[int, ...], Sequence[Program]], store: TraceStore) -> BucketReport:
        """Everything until now, frozen."""
        with self._lock:
            calls = {capacities: dict(counts) for capacities, counts in self._calls.items()}
            exact = dict(self._exact)
        latest = max((p for found in programs.values() for p in found), key=lambda p: p.notes.equations, default=None)
        return BucketReport(
            function=self.function,
            file=self._file,
            line=self._line,
            dimensions=self._names,
            buckets=tuple(
                self._bucket(capacities, found, calls.get(capacities, {}))
                for capacities, found in sorted(programs.items())
                if calls.get(capacities) or any(program.executables for program in found)
            ),
            masks=tuple(dict.fromkeys(latest.notes.masks)) if latest else (),
            exact=tuple(ExactRun(sizes=sizes, calls=n, why=why) for (sizes, why), n in sorted(exact.items())),
            equations=latest.notes.equations if latest else 0,
            ragged_equations=latest.notes.ragged_equations if latest else 0,
            trace_s=store.trace_s,
            guards=tuple(store.guards),
            refused=self.refused,
        )

    def _bucket(
        self, capacities: tuple[int, ...], programs: Sequence[Program], counts: Mapping[tuple[int, ...], int]
    ) -> Bucket:
        return Bucket(
            capacities=tuple(
                Capacity(dimension=name, capacity=capacity)
                for name, capacity in zip(self._names, capacities, strict=True)
            ),
            calls=sum(counts.values()),
            padding_share=self._padding_share(capacities, programs, counts),
            compiles=sum(program.executables for program in programs),
            compile_s=sum(program.compile_s for program in programs),
            warmed=any(program.warmed for program in programs),
            checked=any(program.compared_as is not None for program in programs),
            sizes=tuple(SizeCount(sizes=sizes, calls=n) for sizes, n in sorted(counts.items())),
        )

    def _padding_share(
        self, capacities: tuple[int, ...], programs: Sequence[Program], counts: Mapping[tuple[int, ...], int]
    ) -> float:
        shapes = next((program.ragged_shapes for program in programs if program.ragged_shapes), ())
        calls = sum(counts.values())
        if not shapes or not calls:
            return 0.0
        real = sum(self._elements(shapes, sizes) * n for sizes, n in counts.items())
        return 1 - real / (self._elements(shapes, capacities) * calls)

    def _elements(self, shapes: Sequence[tuple[str, ...]], sizes: tuple[int, ...]) -> int:
        known = dict(zip(self._names, sizes, strict=True))
        total = 0
        for shape in shapes:
            elements = 1
            for size in shape:
                elements *= parse(size).evaluate(known)
            total += elements
        return total
