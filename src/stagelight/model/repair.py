"""A repair: an edit that was executed on both sides before it is offered, or the reason why none is."""

import msgspec

from stagelight.model.finding import Edit


class ConditionDriven(msgspec.Struct, frozen=True, kw_only=True):
    """How often a condition of the original was true and false while both sides were compared."""

    line: int
    text: str
    true: int
    false: int


class Coverage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was compared before a repair was offered.

    Attributes:
        inputs: Inputs on which original and repair were run and agreed in structure, shape, dtype and value.
        gradients: Inputs on which their gradients were compared too.
        traces: How often the repaired function was traced for them.
        signatures: How many distinct signatures the inputs had.
        tests: Each condition that was rewritten, with how often it went either way.
    """

    inputs: int
    gradients: int
    traces: int
    signatures: int
    tests: tuple[ConditionDriven, ...] = ()


class Repair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One repair that may be offered.

    Attributes:
        kind: Its public name: ``where``, ``cond``, ``static``.
        title: What it does, one sentence.
        edits: Replacements in the file, from top to bottom.
        diff: The same as a unified diff.
        coverage: What was compared.
        cautions: What the repaired function no longer does, or does differently beyond the comparison.
    """

    kind: str
    title: str
    edits: tuple[Edit, ...]
    diff: str
    coverage: Coverage
    cautions: tuple[str, ...] = ()


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """A repair that was considered and is not offered."""

    kind: str
    reason: str


class RepairReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What can be done about one function under one call.

    Attributes:
        function: Qualified name.
        file: Path.
        call: The example call in JAX's notation.
        slug: The failure to repair; empty where the function traces.
        line: Line of the failing expression, or of the function.
        expression: The failing expression.
        offered: Repairs that were executed and agreed, the least intrusive first.
        refused: The others, with reasons.
    """

    function: str
    file: str
    call: str
    slug: str = ""
    line: int = 0
    expression: str = ""
    offered: tuple[Repair, ...] = ()
    refused: tuple[Refused, ...] = ()
