"""Whether a lesson keeps its promises: everything that it claims is run."""

import ast
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from stagelight.errors import UsageError
from stagelight.lab.answers import answer_from
from stagelight.lab.asking import Examiner
from stagelight.lab.course import stem_of
from stagelight.lab.program_run import run_program
from stagelight.lab.requests import repair_request
from stagelight.lab.verdicts import KINDS, PASSED, verdict_of, wanted_names
from stagelight.model.examination import Examination, Verdict
from stagelight.model.lesson import Exercise, Lesson, Question, QuestionKind
from stagelight.model.project import Stage
from stagelight.report.lesson_document import shown_answer

MOST_WORDS = 1000
MOST_SECONDS = 60.0
FEWEST_MUTANTS = 3
FEWEST_HINTS = 2
_KINDS_OF_KEYS: dict[type, QuestionKind] = {int: "count", float: "number", bool: "truth", list: "list"}


class Complaint(msgspec.Struct, frozen=True, kw_only=True):
    """A promise that a lesson does not keep: where, and what is so instead."""

    line: int
    message: str


class Linted(msgspec.Struct, frozen=True, kw_only=True):
    """A linted lesson.

    Attributes:
        complaints: What is wrong; empty where all is well.
        program: What was seen of its program.
        verdicts: Verdict of every text of every exercise, by exercise and by what the text is.
    """

    complaints: tuple[Complaint, ...]
    program: Examination
    verdicts: tuple[tuple[str, str, Verdict], ...]


def linted(lesson: Lesson, examiner: Examiner, *, known: Sequence[str] = ()) -> Linted:
    """Run everything that a lesson holds and compare it with what the lesson says.

    Args:
        lesson: The lesson.
        examiner: Runs its programs.
        known: Names of the lessons that may be prerequisites.
    """
    complaints = list(_text_complaints(lesson, known))
    verdicts: list[tuple[str, str, Verdict]] = []
    with tempfile.TemporaryDirectory(prefix="stagelight-lint-") as name:
        folder = Path(name)
        program = run_program(lesson, folder, examiner)
        complaints += _program_complaints(lesson, program)
        for exercise in lesson.exercises:
            complaints += _exercise_complaints(lesson, exercise, examiner, folder, verdicts)
    seconds = program.seconds
    if seconds > MOST_SECONDS:
        complaints.append(Complaint(line=1, message=f"the program takes {seconds:.0f} s; {MOST_SECONDS:.0f} s at most"))
    return Linted(complaints=tuple(complaints), program=program, verdicts=tuple(verdicts))


def _text_complaints(lesson: Lesson, known: Sequence[str]) -> Iterator[Complaint]:
    if lesson.words > MOST_WORDS:
        yield Complaint(line=1, message=f"{lesson.words} words of prose; at most {MOST_WORDS}")
    for name in lesson.prerequisites:
        if known and name not in known:
            yield Complaint(line=1, message=f"there is no lesson {name!r} to be a prerequisite")
    wanted = {
        "```toml prediction": lesson.predictions,
        "```python build": lesson.build,
        "```python run": lesson.run,
        "```python experiment": lesson.experiment,
        "```toml exercise": lesson.exercises,
        "```toml checkpoint": lesson.checkpoints,
    }
    for block in (block for block, found in wanted.items() if not found):
        yield Complaint(line=1, message=f"the lesson has no {block}")
    for step in lesson.build:
        if not step.note:
            yield Complaint(line=step.line, message="a build step has a note before it, on the functions that it uses")
    questions = (*lesson.predictions, *lesson.checkpoints)
    names = [one.id for one in questions]
    for question in questions:
        if names.count(question.id) > 1:
            yield Complaint(line=question.line, message=f"two questions are called {question.id!r}")


def _program_complaints(lesson: Lesson, program: Examination) -> Iterator[Complaint]:
    if program.ending != "answered":
        yield Complaint(line=1, message=f"the program ended by {program.ending}: {program.output[-500:]}")
        return
    if program.raised is not None:
        raised = program.raised
        at = f"line {raised.line} of the program ({raised.text})"
        yield Complaint(line=1, message=f"the program raised {raised.error} at {at}: {raised.message}")
    answers = {one.id: one for one in program.answers}
    for question in (*lesson.predictions, *lesson.checkpoints):
        answered = answers.get(question.id)
        if answered is None:
            continue
        if answered.error:
            message = f"`observed` of {question.id} raised {answered.error}"
            yield Complaint(line=question.line, message=message)
        else:
            yield from _key_complaints(question, answered.value)


def _key_complaints(question: Question, key: str) -> Iterator[Complaint]:
    """The key must be an answer that a learner could have typed, and what it is must say what else can be typed."""
    try:
        answer_from(question, shown_answer(key))
    except UsageError as error:
        yield Complaint(line=question.line, message=f"the key of {question.id} cannot be typed: {error}")
    kind = _KINDS_OF_KEYS.get(type(json.loads(key)))
    if question.kind == "value" and not question.choices and kind is not None:
        message = f"the key of {question.id} is {shown_answer(key)}: with the kind {kind}, other answers are refused"
        yield Complaint(line=question.line, message=message)


def _exercise_complaints(
    lesson: Lesson, exercise: Exercise, examiner: Examiner, folder: Path, verdicts: list[tuple[str, str, Verdict]]
) -> Iterator[Complaint]:
    programs = (("starter", exercise.starter), ("solution", exercise.solution))
    yield from shape_complaints(exercise, f"exercise {exercise.name}", programs)
    if not _is_python(exercise.check):
        return
    file = folder / stem_of(lesson) / f"{exercise.name}.py"
    file.parent.mkdir(exist_ok=True)

    def judged(what: str, source: str) -> Verdict:
        found = examiner.examine(repair_request(lesson, exercise, source, file))
        verdict = verdict_of(exercise, found, source, file.name)
        verdicts.append((exercise.name, what, verdict))
        return verdict

    yield from _starter_complaints(exercise, judged("starter", exercise.starter))
    solution = judged("solution", exercise.solution)
    if solution.kind != PASSED:
        message = f"the solution of {exercise.name} is rejected: {solution.kind}: {solution.message}"
        yield Complaint(line=exercise.line, message=message)
    for mutant in exercise.mutants:
        verdict = judged(f"wrong {mutant.name}", mutant.code)
        wanted = f" as {mutant.rejected_as}" if mutant.rejected_as else ""
        if verdict.kind == PASSED or (mutant.rejected_as and verdict.kind != mutant.rejected_as):
            is_now = "passes" if verdict.kind == PASSED else f"is rejected as {verdict.kind}: {verdict.message}"
            message = f"wrong repair {mutant.name} of {exercise.name} must be rejected{wanted}; it {is_now}"
            yield Complaint(line=mutant.line, message=message)


def _starter_complaints(exercise: Exercise, starter: Verdict) -> Iterator[Complaint]:
    if starter.kind != exercise.fails or exercise.says not in starter.message:
        wanted = exercise.fails + (f", saying {exercise.says!r}" if exercise.says else "")
        message = f"the starter of {exercise.name} must fail by {wanted}; it is {starter.kind}: {starter.message}"
        yield Complaint(line=exercise.line, message=message)


def shape_complaints(exercise: Exercise | Stage, name: str, programs: Sequence[tuple[str, str]]) -> Iterator[Complaint]:
    """What an exercise or stage lacks, before anything of it runs.

    Args:
        exercise: The exercise.
        name: What it is called.
        programs: Further texts that must be Python, with what they are.
    """

    def complaint(message: str) -> Complaint:
        return Complaint(line=exercise.line, message=f"{name}: {message}")

    if not exercise.task:
        yield complaint("it has no task: prose that says what to do")
    if len(exercise.hints) < FEWEST_HINTS:
        yield complaint(f"{len(exercise.hints)} hints; at least {FEWEST_HINTS}, the plainest last")
    if len({mutant.name for mutant in exercise.mutants}) < FEWEST_MUTANTS:
        yield complaint(f"{len(exercise.mutants)} wrong repairs; at least {FEWEST_MUTANTS} with different names")
    if exercise.fails in (PASSED, "syntax-error") or not (exercise.fails in KINDS or "-" in exercise.fails):
        yield complaint(f"fails = {exercise.fails!r} is no verdict that a starter may have")
    for what, code in (*programs, ("check", exercise.check)):
        if not _is_python(code):
            yield complaint(f"the {what} is not Python")
            return
    yield from map(complaint, _check_complaints(exercise.check))


def _check_complaints(check: str) -> Iterator[str]:
    if not wanted_names(check):
        yield "the check takes nothing from `learner`"
    for node in ast.walk(ast.parse(check)):
        if isinstance(node, ast.Assert) and node.msg is None:
            yield f"line {node.lineno} of the check asserts without a message for the learner"


def _is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True
