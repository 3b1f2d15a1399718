"""What an examination of a repair means: passed, or the first thing that is wrong, in words for a learner."""

import ast
from collections.abc import Sequence

from stagelight.model.examination import Examination, FunctionCounts, Raised, Verdict
from stagelight.model.lesson import Exercise
from stagelight.model.project import Stage
from stagelight.report.quantities import counted
from stagelight.report.ways_out import way_out

PASSED = "passed"
KINDS = (
    PASSED, "changed-checker", "changed-while-checked", "check-failed", "compiles-over-budget", "deleted-workspace",
    "died", "names-missing", "output-limit", "raised", "raised-in-check", "syntax-error", "time-limit",
    "traces-over-budget",
)  # fmt: skip


def verdict_of(exercise: Exercise | Stage, found: Examination, source: str, file: str) -> Verdict:
    """Judge one examination of an exercise's file.

    Args:
        exercise: The exercise, or the stage of a project.
        found: What was seen.
        source: The text that ran.
        file: What the file is called in messages.
    """
    verdict = (
        _of_ending(found, file)
        or _of_changed_checker(found)
        or _of_program(found.raised, source, file)
        or _of_names(exercise, found, source, file)
        or _of_budget(exercise, found)
        or _of_check(found.raised, file)
        or Verdict(kind=PASSED, message=passed_message(found.functions))
    )
    return Verdict(
        kind=verdict.kind,
        message=verdict.message,
        advice=verdict.advice,
        functions=found.functions,
        output=found.output,
    )


def passed_message(functions: Sequence[FunctionCounts]) -> str:
    """What was seen of a repair that passes."""
    parts = [f"{one.name}: {counted(one.traces, 'trace')} in {counted(one.calls, 'call')}" for one in functions]
    return "; ".join([*parts, "the hidden checks hold"])


def _of_ending(found: Examination, file: str) -> Verdict | None:
    if found.ending == "time-limit":
        message = f"{file} did not end in time and was stopped."
        return Verdict(kind="time-limit", message=message, advice="Look for a loop whose condition never changes.")
    if found.ending == "output-limit":
        message = f"{file} printed more than is kept (1 MB) and was stopped."
        return Verdict(kind="output-limit", message=message, advice="Print less: shapes instead of values.")
    if found.ending == "died":
        message = f"{file} ended the process that ran it, with exit code {found.exit_code}, before it was checked."
        return Verdict(kind="died", message=message, advice="Leave out sys.exit, os._exit and signals.")
    return None


def _of_changed_checker(found: Examination) -> Verdict | None:
    if not found.changed_checker:
        return None
    message = f"The program replaced {found.changed_checker}, which judges it; nothing that it shows counts."
    return Verdict(kind="changed-checker", message=message, advice="Repair the program, not its judge.")


def _of_program(raised: Raised | None, source: str, file: str) -> Verdict | None:
    if raised is None or raised.where != "program":
        return None
    where = f"{file}:{raised.line}" if raised.line else file
    if raised.error in ("SyntaxError", "IndentationError", "TabError"):
        first = raised.message.partition(" (")[0]
        return Verdict(kind="syntax-error", message=f"{where} is not Python: {first}.\n  {raised.text}")
    kind = raised.slug or "raised"
    message = f"{where} raised {raised.error}: {_first_line(raised.message)}"
    advice = way_out(raised.slug) if raised.slug else ""
    if raised.error == "NameError" and not _imports_something(source):
        advice = "The file imports nothing: begin with `import jax` and `import jax.numpy as jnp`."
    return Verdict(kind=kind, message="\n".join([message, *_flow(raised)]), advice=advice)


def _flow(raised: Raised) -> list[str]:
    """The expression and the arguments that it flows from."""
    if not raised.expression:
        return [f"  {raised.text}"] if raised.text else []
    flows = f", which flows from {', '.join(raised.arguments)}" if raised.arguments else ""
    return [f"  {raised.expression}{flows}"]


def _of_names(exercise: Exercise | Stage, found: Examination, source: str, file: str) -> Verdict | None:
    missing = [name for name in wanted_names(exercise.check) if name not in found.defined]
    if not missing:
        return None
    message = f"{file} does not define {', '.join(missing)}, which the exercise is about."
    advice = "" if _imports_something(source) else "The file imports nothing: take the starter again with `reset`."
    return Verdict(kind="names-missing", message=message, advice=advice)


def wanted_names(check: str) -> tuple[str, ...]:
    """Names that a check takes from the learner's file.

    >>> wanted_names("assert learner.step(1) == learner.start")
    ('start', 'step')
    """
    nodes = (node for node in ast.walk(ast.parse(check)) if isinstance(node, ast.Attribute))
    return tuple(sorted({n.attr for n in nodes if isinstance(n.value, ast.Name) and n.value.id == "learner"}))


def _of_budget(exercise: Exercise | Stage, found: Examination) -> Verdict | None:
    for what, budget in (("traces", exercise.traces), ("compiles", exercise.compiles)):
        used = {one.name: getattr(one, what) for one in found.functions if getattr(one, what)}
        if budget is not None and sum(used.values()) > budget:
            noun = what.removesuffix("s")
            by_function = ", ".join(f"{name} {number}" for name, number in used.items())
            message = f"{counted(sum(used.values()), noun)}, and the budget is {budget} ({by_function})."
            lines = [message, *(_causes(found.functions) if what == "traces" else [])]
            return Verdict(kind=f"{what}-over-budget", message="\n".join(lines))
    return None


def _causes(functions: Sequence[FunctionCounts]) -> list[str]:
    """Why each trace after the first happened, at most six lines."""
    lines = [
        f"  {one.name}, trace {number}: {cause.slug}{_change(cause.path, cause.before, cause.after)}"
        for one in functions
        for number, causes in enumerate(one.causes, start=1)
        for cause in causes[:2]
        if number > 1
    ]
    return lines[:6] + ([f"  and {len(lines) - 6} more"] if len(lines) > 6 else [])


def _change(path: str, before: str, after: str) -> str:
    change = f"{before} → {after}" if before and after else before or after
    return "".join(f" {text}" for text in (path, change) if text)


def _of_check(raised: Raised | None, file: str) -> Verdict | None:
    if raised is None:
        return None
    if raised.is_assertion:
        return Verdict(kind="check-failed", message=raised.message or "A hidden check does not hold.")
    where = f" at {file}:{raised.line}" if raised.line else ""
    message = f"Under a hidden variant it raised {raised.error}{where}: {_first_line(raised.message)}"
    return Verdict(
        kind=raised.slug or "raised-in-check",
        message="\n".join([message, *_flow(raised)]),
        advice=way_out(raised.slug) if raised.slug else "",
    )


def _first_line(message: str) -> str:
    return message.partition("\n")[0]


def _imports_something(source: str) -> bool:
    try:
        return any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(ast.parse(source)))
    except SyntaxError:
        return True
