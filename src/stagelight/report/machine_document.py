"""Calls on the reference machine as documents: step by step, alone or beside what JAX did."""

from stagelight.model.machine_step import (
    ComparedCall,
    MachineCall,
    MachineComparison,
    MachinePart,
    MachineStep,
)
from stagelight.report.document import (
    Block,
    Bullets,
    Cell,
    Change,
    Code,
    Column,
    Document,
    Fold,
    Line,
    Paragraph,
    Section,
    Source,
    Table,
    Text,
)
from stagelight.report.quantities import counted

_OUTCOMES = {
    "traced": Text("traced", "warn"),
    "hit": Text("hit: the tracing cache has the key", "good"),
    "fast path": Text("hit: the fast path has the key", "good"),
    "failed": Text("raised", "bad"),
    "refused": Text("refused: the machine does not model it", "accent"),
}
_CONTEXT = "context "
_DEFAULTS = ("False", "None", "standard", "allow")


def machine_document(call: MachineCall) -> Document:
    """One call, step by step."""
    head: Line = (Code(call.function, "strong"), Text("  "), _OUTCOMES[call.outcome])
    blocks: list[Block] = [Paragraph(head), *(_step_section(i, step) for i, step in enumerate(call.steps, 1))]
    if call.jaxpr:
        blocks.append(_program("jaxpr", call.jaxpr))
    if call.result:
        blocks.append(Paragraph((Text("result "), Code(call.result))))
    return Document(title=f"machine {call.function}", blocks=tuple(blocks))


def comparison_document(comparison: MachineComparison) -> Document:
    """Each call, step by step, beside what JAX did."""
    blocks = tuple(_compared_section(number, one) for number, one in enumerate(comparison.calls, 1))
    lead = f"On the reference machine, beside JAX {comparison.jax_version}. Both trace the function; neither runs it."
    return Document(title=f"{comparison.function} on the machine", blocks=blocks, lead=lead)


def _compared_section(number: int, one: ComparedCall) -> Section:
    title: Line = (Text(f"Call {number}  "), Code(one.call or one.machine.function, "strong"))
    verdict = Text("as on JAX", "good") if one.agrees else Text("not as on JAX", "warn")
    children: list[Block] = [Paragraph((_OUTCOMES[one.machine.outcome], Text(", "), verdict, Text(".")))]
    if one.notes:
        children.append(Bullets(tuple((Text(note, "muted" if one.agrees else "warn"),) for note in one.notes)))
    steps = one.machine.steps
    for i, step in enumerate(steps, 1):
        children.append(_step_section(i, step, _on_jax(step, one, i == len(steps)), one.jax.avals))
    return Section(title=title, children=(*children, *_programs(one)), anchor=f"call-{number}")


def _programs(one: ComparedCall) -> tuple[Block, ...]:
    if one.machine.jaxpr and one.machine.jaxpr == one.jax.jaxpr:
        return (_program("The jaxpr, letter for letter the same on both", one.machine.jaxpr),)
    if one.machine.jaxpr and one.jax.jaxpr:
        return (_program("The jaxpr on the machine", one.machine.jaxpr), _program("The jaxpr on JAX", one.jax.jaxpr))
    if not one.jax.jaxpr:
        return ()
    length = counted(len(one.jax.jaxpr.splitlines()), "line")
    return (Paragraph((Text(f"JAX's jaxpr has {length}; explain --jaxpr prints it.", "muted"),)),)


def _step_section(number: int, step: MachineStep, theirs: Line = (), avals: tuple[str, ...] = ()) -> Section:
    changed = sum(part.before is not None for part in step.parts)
    aside: Line = (Text(f"{counted(changed, 'part')} changed", "warn"),) if changed else ()
    children: list[Block] = [
        Paragraph((Text(" ".join(step.says.split()), "bad" if not step.parts and "Error" in step.says else "plain"),))
    ]
    if step.parts:
        beside = avals if step.phase == "abstract" and len(avals) == len(step.parts) else ()
        columns = (Column("part"), Column("on the machine", code=True), Column("on JAX", code=True))
        rows = [_part_row(part) for part in _with_one_context(step.parts)]
        if beside:
            rows = [(*row, Cell((Code(aval),))) for row, aval in zip(rows, beside, strict=True)]
        children.append(Table(columns[: 3 if beside else 2], tuple(rows)))
    if theirs:
        children.append(Paragraph((Text("JAX: ", "strong"), *theirs)))
    title: Line = (Text(f"{number} {step.phase}", "strong"),)
    return Section(title=title, children=tuple(children), level=3, aside=aside)


def _part_row(part: MachinePart) -> tuple[Cell, ...]:
    value: Line = (Code(part.value),) if part.before is None else (Change(part.before, part.value),)
    return (Cell((Text(part.name),)), Cell(value, marked=part.before is not None))


def _with_one_context(parts: tuple[MachinePart, ...]) -> tuple[MachinePart, ...]:
    """The settings as one part, those that did not change and are as JAX has them by default left out."""
    same = [part for part in parts if part.name.startswith(_CONTEXT) and part.before is None]
    told = [f"{part.name.removeprefix(_CONTEXT)} {part.value}" for part in same if part.value not in _DEFAULTS]
    rest = tuple(part for part in parts if part not in same)
    return (*rest, MachinePart(name="trace context", value=", ".join(told) or "default settings")) if same else rest


def _on_jax(step: MachineStep, one: ComparedCall, is_last: bool) -> Line:
    seen = one.jax
    if seen.error and is_last:
        return (Text("raised ", "bad"), Code(seen.error))
    ran: Line = (Text("the Python function ran" if seen.traced else "the Python function did not run"),)
    shown: dict[str, Line] = {
        "flatten": (Code(seen.structure),) if seen.structure else (),
        "key": (Text("does not show its key", "muted"),),
        "look up": (Text("had no trace" if seen.traced else "had a trace"),),
        "trace": ran,
        "hit": ran,
    }
    return shown.get(step.phase, ())


def _program(title: str, text: str) -> Fold:
    source = Source(file="", first_line=1, lines=tuple(text.splitlines()))
    return Fold(title=(Text(title),), children=(source,), open=True)
