"""The programs of a bucketed function: which one holds for a call, and new ones where none does."""

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stagelight.bucketing.arguments import Layout
from stagelight.bucketing.options import Options
from stagelight.bucketing.output_plan import OutputPlan
from stagelight.bucketing.program import LEAST_SIZE, Inconclusive, Program, TraceStore
from stagelight.bucketing.shardings import by_argument, check_capacities
from stagelight.errors import BucketingRefused, UsageError
from stagelight.sizes.policies import Policy


class Programs:
    """Programs by bucket, style of call and static values.

    A bucket has one program as a rule. It has a second one, where sizes that are equal share a name, if the function
    asks whether two sizes are equal (as causal attention does) and calls have them both ways.
    """

    def __init__(self, function: Callable[..., Any], names: tuple[str, ...], options: Options) -> None:
        self.store = TraceStore()
        self.policies: Mapping[str, Policy] = options.policies(names)
        self._function = function
        self._names = names
        self._options = options
        self._capacity_of: tuple[dict[int, int], ...] = tuple({} for _ in names)
        self._programs: dict[Any, list[Program]] = {}
        self._lock = threading.Lock()

    def by_bucket(self) -> dict[tuple[int, ...], list[Program]]:
        """All programs of each bucket."""
        found: dict[tuple[int, ...], list[Program]] = {}
        for (capacities, *_), programs in list(self._programs.items()):
            found.setdefault(capacities, []).extend(programs)
        return found

    def capacities(self, sizes: tuple[Any, ...]) -> tuple[int, ...] | None:
        """The bucket of true sizes; None where they are too small, or not numbers, and padding cannot be."""
        found = []
        for size, known, name in zip(sizes, self._capacity_of, self._names, strict=True):
            if type(size) is not int or size < LEAST_SIZE:
                return None
            capacity = known.get(size)
            if capacity is None:
                capacity = known[size] = self._chosen_capacity(name, size)
            found.append(capacity)
        return tuple(found)

    def holding(
        self, layout: Layout, values: Sequence[Any], sizes: Mapping[str, int], capacities: tuple[int, ...]
    ) -> Program | None:
        """The program for a call, made if there is none; None where its sizes contradict every trace."""
        static = [values[place] for place in layout.static]
        key = (capacities, id(layout), tuple((type(value), value) for value in static))
        programs = self._programs.get(key)
        if programs is not None:
            for program in programs:
                if not program.rejects(sizes) and _is_alias(program.alias, sizes):
                    return program
        with self._lock:
            programs = self._programs.setdefault(key, [])
            alias = _equal_sizes(sizes) if programs else {name: name for name in self._names}
            for program in programs:
                if program.alias == alias:
                    return None if program.rejects(sizes) else program
            programs.append(self._made(layout, static, capacities, alias, self._least(sizes, capacities)))
            return programs[-1]

    def compared_like(self, program: Program, signature: Any) -> Program | None:
        """The least program of the same function whose first call, of the same signature, was compared."""
        found = [
            other
            for others in list(self._programs.values())
            for other in others
            if other.compared_as == signature and other.layout is program.layout and other.static == program.static
        ]
        return min(found, key=lambda other: math.prod(other.bucket_capacities), default=None)

    def plan(self, layout: Layout, values: Sequence[Any], sizes: Mapping[str, int]) -> OutputPlan | None:
        """Which results of a call are ragged; None where the function cannot be traced with symbolic sizes."""
        if self._options.outputs == "jax":
            return None
        padded = {name: max(size, LEAST_SIZE) for name, size in sizes.items()}
        capacities = self.capacities(tuple(padded.values()))
        program = None if capacities is None else self.holding(layout, values, padded, capacities)
        if program is None or program.refused is not None:
            return None
        try:
            return program.plan_of([values[place] for place in layout.dynamic])
        except (Inconclusive, BucketingRefused):
            return None

    def narrow(self, program: Program, sizes: Mapping[str, int]) -> bool:
        """Replace a program by one that need only hold from these sizes on; False where it is that already."""
        least = {name: sizes[name] for name in program.names}
        if program.least == least:
            return False
        with self._lock:
            for programs in self._programs.values():
                if program in programs:
                    capacities = program.bucket_capacities
                    made = self._made(program.layout, program.static, capacities, program.alias, dict(sizes))
                    programs[programs.index(program)] = made
        return True

    def _least(self, sizes: Mapping[str, int], capacities: tuple[int, ...]) -> dict[str, int]:
        least = {}
        for name, capacity in zip(self._names, capacities, strict=True):
            least[name] = min(max(LEAST_SIZE, self.policies[name].least_size(capacity)), sizes[name])
        return least

    def _made(
        self,
        layout: Layout,
        static: Sequence[Any],
        capacities: tuple[int, ...],
        alias: Mapping[str, str],
        least: Mapping[str, int],
    ) -> Program:
        shardings = by_argument(self._options.in_shardings, layout)
        check_capacities(shardings, layout, dict(zip(self._names, capacities, strict=True)))
        return Program(
            self._function,
            layout,
            static,
            dict(zip(self._names, capacities, strict=True)),
            alias,
            least,
            self.store,
            options=self._options,
            in_shardings=shardings,
        )

    def _chosen_capacity(self, name: str, size: int) -> int:
        try:
            capacity = self.policies[name].capacity(size)
        except UsageError as error:
            message = f"{name!r}: {error}"
            raise UsageError(message) from None
        if not isinstance(capacity, int) or capacity < size:
            message = f"the bucket policy of {name!r} gives size {size} the capacity {capacity!r}"
            raise UsageError(message)
        return capacity


def _equal_sizes(sizes: Mapping[str, int]) -> dict[str, str]:
    """For each name the first name that has its size."""
    first: dict[int, str] = {}
    return {name: first.setdefault(size, name) for name, size in sizes.items()}


def _is_alias(alias: Mapping[str, str], sizes: Mapping[str, int]) -> bool:
    return all(name == other or sizes[name] == sizes[other] for name, other in alias.items())
