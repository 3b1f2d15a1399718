"""A lesson as its author wrote it: text, programs, questions, exercises."""

from typing import Literal

import msgspec

type Level = Literal["foundation", "practice", "challenge"]
type QuestionKind = Literal["value", "count", "number", "truth", "list", "traces", "call", "cause", "binding-time"]

LEVELS: tuple[Level, ...] = ("foundation", "practice", "challenge")


class Block(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One paragraph group or fenced block of the lesson's text.

    Attributes:
        section: Heading that it stands under; empty before the first.
        role: What a fenced block is for (``build``, ``starter``, …); ``prose`` for text between blocks.
        language: ``python``, ``toml`` or ``text``; empty for prose.
        arguments: Further words of the opening fence.
        text: What it holds.
        line: 1-based line of the file where its text begins.
    """

    section: str
    role: str
    text: str
    line: int
    language: str = ""
    arguments: tuple[str, ...] = ()


class Question(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A question whose answer key is computed by running JAX.

    Attributes:
        id: Name within the lesson.
        question: What is asked.
        kind: What kind of answer is expected.
        observed: Python expression; its value after the run is the key.
        choices: Answers to choose from; empty where the answer is free.
        why: One or two sentences, shown once the answer is judged.
        line: Line of the lesson's file.
    """

    id: str
    question: str
    kind: QuestionKind
    observed: str
    choices: tuple[str, ...] = ()
    why: str = ""
    line: int = 0


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One piece of program with the note beside it."""

    note: str
    code: str
    line: int = 0


class Mutant(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A plausible wrong repair, which must be rejected.

    Attributes:
        name: What is wrong with it, as a slug.
        code: The whole file.
        rejected_as: Kind of the verdict, where the author states it.
        line: Line of the lesson's file.
    """

    name: str
    code: str
    rejected_as: str = ""
    line: int = 0


class Exercise(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A broken program to repair.

    Attributes:
        name: Name within the lesson; also the file's name.
        level: How hard it is.
        task: What to do, in Markdown.
        fails: Kind of the verdict on the starter.
        says: Words that the verdict on the starter holds.
        traces: Most traces of the file's own functions in its run; None where there is no budget.
        compiles: Most compiles of them.
        starter: What the learner begins with.
        solution: A repair that passes.
        check: Hidden program that tests the repair.
        mutants: Wrong repairs.
        hints: From the gentlest to the plainest.
        line: Line of the lesson's file.
    """

    name: str
    level: Level
    task: str
    fails: str
    starter: str
    solution: str
    check: str
    says: str = ""
    traces: int | None = None
    compiles: int | None = None
    mutants: tuple[Mutant, ...] = ()
    hints: tuple[str, ...] = ()
    line: int = 0


class FigureWanted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A picture that is made from the lesson's own run.

    Attributes:
        kind: ``calls`` (calls against traces) or ``binding-times`` (source coloured by binding time).
        title: What it shows.
        functions: Names of the functions that it shows.
        call: For ``binding-times``: the arguments, as between the parentheses of a call.
        line: Line of the lesson's file.
    """

    kind: Literal["calls", "binding-times"]
    title: str
    functions: tuple[str, ...]
    call: str = ""
    line: int = 0


class Lesson(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A whole lesson.

    Attributes:
        name: Its slug, which is the file's name without the number.
        number: Its place in the course.
        title: Its heading.
        level: How hard it is.
        minutes: How long it takes.
        hardware: What it needs.
        rows: Capabilities that it teaches.
        prerequisites: Names of lessons to do before.
        digest: Hash of the file.
        words: Number of words of prose.
        problem: The first paragraph.
        idea: What to know, in Markdown.
        predictions: Answered before anything runs.
        build: Steps that append to one program.
        run: The program's last part, which runs under the ledger.
        experiment: Controlled experiments.
        exercises: From the easiest.
        checkpoints: Asked at the end.
        figures: Pictures.
        blocks: The whole text, in order.
    """

    name: str
    number: int
    title: str
    level: Level
    minutes: int
    hardware: str
    rows: tuple[str, ...]
    digest: str
    words: int
    problem: str
    idea: str
    prerequisites: tuple[str, ...] = ()
    predictions: tuple[Question, ...] = ()
    build: tuple[Step, ...] = ()
    run: tuple[Step, ...] = ()
    experiment: tuple[Step, ...] = ()
    exercises: tuple[Exercise, ...] = ()
    checkpoints: tuple[Question, ...] = ()
    figures: tuple[FigureWanted, ...] = ()
    blocks: tuple[Block, ...] = ()
