"""``stagelight buckets``: bucket edges that fit the sizes a recorded program really sent."""

from collections import Counter, defaultdict
from collections.abc import Iterable

import click

from stagelight.cli.ledger_arguments import ledger_arguments
from stagelight.model.aval import text_from_aval
from stagelight.model.event import BucketedCall, CallsCounted, FunctionSeen, StructureSeen, Traced
from stagelight.model.function import Function
from stagelight.recorder.ledger_file import ledgers_from
from stagelight.sizes.observed import SeenCall, VaryingSize, varying_sizes


@click.command(
    epilog="""\b
Examples:
  stagelight run --calls -o train.jsonl train.py
  stagelight buckets train.jsonl
  stagelight buckets train.jsonl --function train_step --align 8 --at-most 6
"""
)
@ledger_arguments
@click.option("--function", "only", metavar="NAME", help="Only this function.")
@click.option("--at-most", type=click.IntRange(min=1), default=16, show_default=True, help="The most edges to propose.")
@click.option("--align", type=click.IntRange(min=1), default=1, show_default=True, help="Edges are multiples of this.")
@click.option(
    "--compile-cost", type=click.FloatRange(min=0), help="What a bucket costs, in padded elements of the axis."
)
def command(ledgers: tuple[str, ...], only: str | None, at_most: int, align: int, compile_cost: float | None) -> None:
    """Propose bucket edges for the sizes that a recorded program sent.

    For each function of your own whose argument sizes varied, the sizes, and the edges that minimise padding plus
    compile cost. Sizes weigh by their calls where the run counted them (`run --calls`), and once each elsewhere.
    A function that is bucketed already is said to be, with its buckets and what ran without padding.
    """
    shown = 0
    for ledger in ledgers_from(ledgers):
        seen = _Seen(ledger.entries())
        for function in seen.bucketed.values():
            if function.own and only in (None, function.name):
                shown += 1
                _show_bucketed(function, seen.bucketed_calls[function.name])
        for function, calls in seen.calls_by_function():
            if not function.own or only not in (None, function.name, function.qualname):
                continue
            varying = varying_sizes(calls, compile_cost=compile_cost, at_most=at_most, align=align)
            if varying:
                shown += 1
                _show(function, varying)
    if not shown:
        click.echo("no function of your own had arguments whose sizes varied")


class _Seen:
    """What a ledger says of functions and the sizes they were called with."""

    def __init__(self, entries: Iterable[object]) -> None:
        self.bucketed: dict[tuple[str, int, str], Function] = {}
        self.bucketed_calls: defaultdict[str, list[BucketedCall]] = defaultdict(list)
        self._functions: dict[int, Function] = {}
        self._paths: dict[str, tuple[str, ...]] = {}
        self._traces: defaultdict[int, dict[int, Traced]] = defaultdict(dict)
        self._counted: Counter[tuple[int, str]] = Counter()
        for entry in entries:
            self._add(entry)

    def _add(self, entry: object) -> None:
        match entry:
            case FunctionSeen(function=function):
                self._functions[function.number] = function
                if function.wrapper == "bucketed":
                    self.bucketed.setdefault(_place(function), function)
            case StructureSeen(digest=digest, structure=structure):
                self._paths[digest] = structure.paths
            case Traced() if not entry.under:
                self._traces[entry.function][entry.trace] = entry
            case CallsCounted(function=number, first_argument=first, calls=calls):
                self._counted[number, first] += calls
            case BucketedCall(name=name):
                self.bucketed_calls[name].append(entry)
            case _:
                pass

    def calls_by_function(self) -> list[tuple[Function, list[SeenCall]]]:
        """Functions that are not bucketed, with their calls."""
        return [
            (self._functions[number], [_seen_call(trace, self._paths, self._counted) for trace in found.values()])
            for number, found in self._traces.items()
            if number in self._functions and _place(self._functions[number]) not in self.bucketed
        ]


def _place(function: Function) -> tuple[str, int, str]:
    return function.file, function.line, function.name


def _seen_call(trace: Traced, paths: dict[str, tuple[str, ...]], counted: Counter[tuple[int, str]]) -> SeenCall:
    known = paths.get(trace.structure, ())
    shapes = tuple((path, aval.shape) for path, aval in zip(known, trace.avals, strict=False))
    # A call is counted under its first array argument, which tells most specializations apart.
    first = text_from_aval(trace.avals[0]) if trace.avals else ""
    return SeenCall(shapes=shapes, calls=max(1, counted[trace.function, first]))


def _show(function: Function, varying: Iterable[VaryingSize]) -> None:
    click.echo(f"{function.name}  {function.file}:{function.line}")
    for size in varying:
        axes = ", ".join(f"{path} axis {axis}" for path, axis in size.axes)
        calls, (least, greatest) = sum(n for _, n in size.counts), (size.counts[0][0], size.counts[-1][0])
        click.echo(f"  {axes}: {len(size.counts)} sizes from {least} to {greatest} in {calls} calls")
        edges = ", ".join(map(str, size.edges))
        click.echo(
            f"    stagelight.edges({edges}): {len(size.edges)} compiles instead of {len(size.counts)}, "
            f"{size.padding_share:.0%} padding"
        )


def _show_bucketed(function: Function, calls: Iterable[BucketedCall]) -> None:
    buckets = Counter(call.capacities for call in calls if call.capacities)
    exact = Counter(call.sizes for call in calls if not call.capacities)
    click.echo(f"{function.name}  {function.file}:{function.line}")
    click.echo(f"  bucketed already: {_counted(buckets.total(), 'call')} in {_counted(len(buckets), 'bucket')}")
    if exact:
        sizes = "; ".join(", ".join(f"{name}={size}" for name, size in found) for found in sorted(exact))
        click.echo(f"    {_counted(exact.total(), 'call')} without padding: {sizes}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
