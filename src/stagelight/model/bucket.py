"""What a bucketed function did: its buckets, its masks and what it ran without padding."""

import msgspec


class Capacity(msgspec.Struct, frozen=True, kw_only=True):
    """The padded size of one dimension."""

    dimension: str
    capacity: int


class SizeCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many calls had these true sizes, in the order of the report's dimensions."""

    sizes: tuple[int, ...]
    calls: int


class Bucket(msgspec.Struct, frozen=True, kw_only=True):
    """One bucket: the calls that shared its executables.

    Attributes:
        capacities: The padded size of each dimension.
        calls: How many calls used it.
        padding_share: The share of the elements of ragged arguments that was padding, between 0 and 1.
        compiles: How many executables it has; more than one where dtypes, structures or equal dimensions differ.
        compile_s: Seconds spent in lowering and compiling them.
        warmed: Whether it was compiled ahead of time.
        checked: Whether its first call was compared with the unpadded function.
        sizes: The true sizes seen, with their counts.
    """

    capacities: tuple[Capacity, ...]
    calls: int
    padding_share: float
    compiles: int
    compile_s: float
    warmed: bool
    checked: bool
    sizes: tuple[SizeCount, ...]


class Mask(msgspec.Struct, frozen=True, kw_only=True):
    """One place where padding would have mixed with data, and what keeps them apart there.

    Attributes:
        primitive: The primitive that mixes elements.
        dimensions: The sizes of the axes that are masked, as text.
        value: What stands in the padding: ``0``, ``-inf``, or what is done with it (``kept``, ``dropped``).
        file: The user's file; empty where unknown.
        line: The line in it, 1-based; 0 where unknown.
        why: Why the mask is needed.
    """

    primitive: str
    dimensions: tuple[str, ...]
    value: str
    file: str
    line: int
    why: str


class ExactRun(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes that ran without padding, each with a compile of its own."""

    sizes: tuple[int, ...]
    calls: int
    why: str


class BucketReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a bucketed function did until now.

    Attributes:
        function: Its name.
        file: Where it is defined.
        line: The line there, 1-based.
        dimensions: The names of its ragged dimensions.
        buckets: The buckets in use, ascending.
        masks: Every mask of the last program, in program order.
        exact: What ran without padding, and why.
        equations: How many equations the program has.
        ragged_equations: How many of them have a ragged dimension.
        trace_s: Seconds spent tracing with symbolic sizes.
        guards: Differences of sizes that must not be zero for the traced program to hold.
        refused: Why the function cannot be bucketed; empty where it can.
    """

    function: str
    file: str
    line: int
    dimensions: tuple[str, ...]
    buckets: tuple[Bucket, ...]
    masks: tuple[Mask, ...]
    exact: tuple[ExactRun, ...]
    equations: int
    ragged_equations: int
    trace_s: float
    guards: tuple[str, ...]
    refused: str

    @property
    def calls(self) -> int:
        """Calls of all kinds."""
        return sum(bucket.calls for bucket in self.buckets) + sum(run.calls for run in self.exact)

    @property
    def compiles(self) -> int:
        """Executables of all buckets, and one for each size that ran without padding."""
        return sum(bucket.compiles for bucket in self.buckets) + len(self.exact)
