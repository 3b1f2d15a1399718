"""Reference executions: recorded unattended, shipped beside the lessons, compared with one's own run."""

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

import msgspec

from stagelight.lab.asking import Examiner
from stagelight.lab.course import stem_of
from stagelight.lab.digests import text_digest
from stagelight.lab.lesson_linting import Linted
from stagelight.lab.program_run import run_program
from stagelight.lab.project_stages import stage_run
from stagelight.lab.requests import pieces_of, repair_request
from stagelight.lab.verdicts import verdict_of
from stagelight.model.examination import Examination, FunctionCounts, Surroundings
from stagelight.model.execution import Execution, ExecutionDifference, PieceOutput, ReferenceVerdict
from stagelight.model.explanation import Explanation
from stagelight.model.lesson import Lesson
from stagelight.model.project import Project

SCHEMA = 1


def shipped_execution(lesson: Lesson | Project) -> Execution | None:
    """The execution that is shipped with a lesson or project, if it is of the text as it is."""
    name = stem_of(lesson) if isinstance(lesson, Lesson) else lesson.name
    path = Path(str(files("stagelight.lab"))) / "executions" / f"{name}.json"
    if not path.exists():
        return None
    execution = msgspec.json.decode(path.read_bytes(), type=Execution)
    return execution if execution.lesson_digest == lesson.digest else None


def execution_text(execution: Execution) -> str:
    """An execution as it is kept in a file."""
    return json.dumps(msgspec.to_builtins(execution), indent=1, sort_keys=True) + "\n"


def execution_of(lesson: Lesson, examiner: Examiner, folder: Path) -> Execution:
    """Run a lesson's program and reference solutions, and record what was seen.

    Args:
        lesson: The lesson.
        examiner: Runs them.
        folder: An empty folder to run in.
    """
    program = run_program(lesson, folder, examiner)
    references: list[ReferenceVerdict] = []
    for exercise in lesson.exercises:
        file = folder / f"{exercise.name}.py"
        found = examiner.examine(repair_request(lesson, exercise, exercise.solution, file))
        kind = verdict_of(exercise, found, exercise.solution, file.name).kind
        references.append(_reference(exercise.name, exercise.solution, kind, found.functions))
    return execution_from(lesson, program, references)


def execution_from_linted(lesson: Lesson, found: Linted) -> Execution:
    """The execution that a lint has made anyway."""
    solutions = {exercise.name: exercise.solution for exercise in lesson.exercises}
    references = [
        _reference(name, solutions[name], verdict.kind, verdict.functions)
        for name, what, verdict in found.verdicts
        if what == "solution"
    ]
    return execution_from(lesson, found.program, references)


def execution_from(lesson: Lesson, program: Examination, references: Sequence[ReferenceVerdict]) -> Execution:
    """A record of what was seen, without what is only of one machine."""
    pieces = pieces_of(lesson)
    return Execution(
        schema=SCHEMA,
        lesson=lesson.name,
        lesson_digest=lesson.digest,
        command=f"stagelight learn attest {lesson.number}",
        surroundings=program.surroundings,
        pieces=tuple(
            PieceOutput(role=piece.role, source_digest=text_digest(piece.code), output=output)
            for piece, output in zip(pieces, program.outputs, strict=False)
        ),
        functions=program.functions,
        advisories=program.advisories,
        answers=tuple((one.id, one.value) for one in program.answers),
        explanations=tuple(_without_folder(one) for one in program.explanations),
        references=tuple(references),
    )


def execution_of_project(project: Project, examiner: Examiner, folder: Path) -> Execution:
    """Run every stage of a project's reference implementation."""
    kept: dict[str, object] = {}
    references: list[ReferenceVerdict] = []
    surroundings = Surroundings()
    for stage in project.stages:
        run = stage_run(stage, project.solution, folder / f"{project.name}.py", examiner, kept)
        kept[str(stage.number)] = run.evidence
        surroundings = run.found.surroundings
        references.append(_reference(f"stage {stage.number}", project.solution, run.verdict.kind, run.found.functions))
    return Execution(
        schema=SCHEMA,
        lesson=project.name,
        lesson_digest=project.digest,
        command=f"stagelight learn attest {project.name}",
        surroundings=surroundings,
        references=tuple(references),
    )


def _reference(name: str, source: str, kind: str, functions: tuple[FunctionCounts, ...]) -> ReferenceVerdict:
    return ReferenceVerdict(name=name, source_digest=text_digest(source), verdict=kind, functions=functions)


def _without_folder(explanation: Explanation) -> Explanation:
    functions = tuple(msgspec.structs.replace(one, file=one.file.rpartition("/")[2]) for one in explanation.functions)
    return msgspec.structs.replace(explanation, functions=functions)


def differences(recorded: Execution, here: Execution) -> Iterator[ExecutionDifference]:
    """What two executions of one lesson do not share; versions and devices are no difference.

    Args:
        recorded: The shipped one.
        here: One's own.
    """
    for (position, one), other in zip(enumerate(recorded.pieces, start=1), here.pieces, strict=False):
        if _said(one.output) != _said(other.output):
            yield ExecutionDifference(
                subject=f"output of part {position} ({one.role})", recorded=one.output, here=other.output
            )
    pairs = [("", recorded.functions, here.functions)]
    others = {one.name: one for one in here.references}
    pairs += [
        (f"{one.name}: ", one.functions, others[one.name].functions)
        for one in recorded.references
        if one.name in others
    ]
    for where, then, now in pairs:
        yield from _counts_differences(where, then, now)
    keys = dict(here.answers)
    for name, value in recorded.answers:
        if keys.get(name) != value:
            yield ExecutionDifference(subject=f"key of {name}", recorded=value, here=keys.get(name, ""))
    for one in recorded.references:
        verdict = others[one.name].verdict if one.name in others else "not run"
        if verdict != one.verdict:
            yield ExecutionDifference(subject=f"verdict on {one.name}", recorded=one.verdict, here=verdict)


def _said(output: str) -> str:
    """Output without the line in which a table names its JAX."""
    return "\n".join(line for line in output.splitlines() if " under JAX " not in line)


def _counts_differences(
    where: str, then: Sequence[FunctionCounts], now: Sequence[FunctionCounts]
) -> Iterator[ExecutionDifference]:
    known = {one.name: one for one in now}
    for one in then:
        texts = [_counts_text(each) for each in (one, known.get(one.name))]
        if texts[0] != texts[1]:
            yield ExecutionDifference(subject=f"{where}{one.name}", recorded=texts[0], here=texts[1])


def _counts_text(one: FunctionCounts | None) -> str:
    if one is None:
        return "not seen"
    slugs = ", ".join(causes[0].slug for causes in one.causes)
    return f"{one.traces} traces, {one.compiles} compiles, {one.calls} calls: {slugs}"
