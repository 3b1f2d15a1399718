"""A project as its author wrote it: one program, checked in stages."""

import msgspec

from stagelight.model.lesson import Mutant


class Stage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One stage of a project.

    Attributes:
        number: From 1.
        title: What it is about.
        task: What to do, in Markdown.
        fails: Kind of the verdict on the starter.
        says: Words that the verdict on the starter holds.
        check: Hidden program that tests the implementation and fills in the evidence.
        traces: Most traces of the implementation's own functions while its file runs; None where there is no budget.
        compiles: Most compiles of them.
        mutants: Wrong implementations of the whole project, which this stage must reject.
        hints: From the gentlest to the plainest.
        line: Line of the project's file.
    """

    number: int
    title: str
    task: str
    fails: str
    check: str
    says: str = ""
    traces: int | None = None
    compiles: int | None = None
    mutants: tuple[Mutant, ...] = ()
    hints: tuple[str, ...] = ()
    line: int = 0


class Project(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A whole project.

    Attributes:
        name: Its slug, which is the file's name.
        title: Its heading.
        minutes: How long it takes.
        hardware: What it needs.
        rows: Capabilities that it exercises.
        digest: Hash of the file.
        problem: What it is for, in Markdown.
        starter: What the learner begins with.
        solution: An implementation that passes every stage.
        stages: In their order.
    """

    name: str
    title: str
    minutes: int
    hardware: str
    rows: tuple[str, ...]
    digest: str
    problem: str
    starter: str
    solution: str
    stages: tuple[Stage, ...]
