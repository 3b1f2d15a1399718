"""A lesson as a page of the documentation: its text with the output that was recorded."""

from collections.abc import Iterator, Sequence

from stagelight.lab.course import stem_of
from stagelight.lab.lesson_text import PROSE, SHOWN
from stagelight.model.examination import FunctionCounts
from stagelight.model.execution import Execution
from stagelight.model.lesson import Block, Exercise, FigureWanted, Lesson, Question
from stagelight.model.project import Project
from stagelight.report.lesson_document import shown_answer
from stagelight.report.lesson_figures import binding_times_figure, calls_figure
from stagelight.report.quantities import counted


def page_text(lesson: Lesson, execution: Execution) -> str:
    """The page in Markdown (MyST).

    Args:
        lesson: The lesson.
        execution: The recorded execution of its reference.
    """
    outputs = iter(execution.pieces)
    keys = dict(execution.answers)
    parts = [f"# {lesson.title}", _facts(lesson), lesson.problem]
    section = ""
    for block in lesson.blocks[1:]:
        if block.section != section:
            section = block.section
            parts.append(f"## {section}")
        parts += _block_parts(lesson, block, execution, outputs, keys)
    parts.append(_provenance(execution))
    return "\n\n".join(part.rstrip() for part in parts if part.strip()) + "\n"


def _facts(lesson: Lesson) -> str:
    after = ", ".join(f"`{name}`" for name in lesson.prerequisites)
    facts = [lesson.level, f"{lesson.minutes} minutes", lesson.hardware]
    facts += [f"after {after}"] if after else []
    return (
        f"*{' · '.join(facts)}.* Do it with `stagelight learn go {lesson.number}`, or as a notebook with "
        f"`stagelight learn notebook {lesson.number}`."
    )


def _block_parts(
    lesson: Lesson, block: Block, execution: Execution, outputs: Iterator[object], keys: dict[str, str]
) -> list[str]:
    match block.role:
        case role if role == PROSE:
            return [block.text]
        case role if role == SHOWN:
            return [_code(block.text, block.language or "text")]
        case "prediction" | "checkpoint":
            questions = (*lesson.predictions, *lesson.checkpoints)
            return [_question(next(one for one in questions if one.line == block.line), keys)]
        case "build" | "run" | "experiment":
            piece = next(outputs, None)
            return [_code(block.text, "python"), _output(getattr(piece, "output", ""))]
        case "exercise":
            return [_exercise_head(next(one for one in lesson.exercises if one.line == block.line))]
        case "starter":
            return [_code(block.text, "python")]
        case "hint":
            return [_folded("A hint", block.text.strip())]
        case "figure":
            wanted = next(one for one in lesson.figures if one.line == block.line)
            return [figure_html(wanted, lesson, execution)]
        case _:
            return []


def _code(text: str, language: str) -> str:
    return f"```{{code-block}} {language}\n{text.rstrip()}\n```"


def _output(text: str) -> str:
    return f"```{{code-block}} text\n:class: recorded-output\n\n{text.rstrip()}\n```" if text.strip() else ""


def _folded(summary: str, text: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"


def _question(question: Question, keys: dict[str, str]) -> str:
    choices = f" ({', '.join(question.choices)})" if question.choices else ""
    key = shown_answer(keys.get(question.id, '""'))
    return f"**{question.question}**{choices}\n\n" + _folded("What JAX did", f"`{key}`. {question.why}".rstrip())


def _exercise_head(exercise: Exercise) -> str:
    budget = [
        counted(limit, noun)
        for noun, limit in (("trace", exercise.traces), ("compile", exercise.compiles))
        if limit is not None
    ]
    limits = f", at most {' and '.join(budget)}" if budget else ""
    return f"### {exercise.name}\n\n*{exercise.level}{limits}.*"


def figure_html(wanted: FigureWanted, lesson: Lesson, execution: Execution) -> str:
    """A figure with its data and where that is from, as raw HTML.

    Args:
        wanted: What the author asked for.
        lesson: The lesson.
        execution: The recorded execution.
    """
    if wanted.kind == "calls":
        functions = [one for one in execution.functions if one.name in wanted.functions]
        picture, data = calls_figure(functions, wanted.title), _counts_rows(functions)
    else:
        place = _place_of(wanted, lesson)
        explanation = execution.explanations[place]
        picture, data = binding_times_figure(explanation, wanted.title), f"Traced as <code>{explanation.call}</code>."
    where = execution.surroundings
    source = f"{execution.command}; lesson {execution.lesson_digest[:12]}; JAX {where.jax} on {where.backend}"
    caption = f"<figcaption>{wanted.title}. {data} <small>Made by <code>{source}</code>.</small></figcaption>"
    return f"```{{raw}} html\n<figure>\n{picture}\n{caption}\n</figure>\n```"


def _place_of(wanted: FigureWanted, lesson: Lesson) -> int:
    """Explanations stand in the order of the figures that show binding times."""
    place = 0
    for figure in lesson.figures:
        if figure == wanted:
            break
        place += len(figure.functions) if figure.kind == "binding-times" else 0
    return place


def _counts_rows(functions: Sequence[FunctionCounts]) -> str:
    rows = [
        f"{one.name}: {counted(one.calls, 'call')}, {counted(one.traces, 'trace')}, {counted(one.compiles, 'compile')}"
        for one in functions
    ]
    return "; ".join(rows) + "."


def _provenance(execution: Execution) -> str:
    where = execution.surroundings
    return (
        f"Outputs, keys and figures were recorded by `{execution.command}` under JAX {where.jax}, Python "
        f"{where.python}, on {where.backend}; hold your own run against them with "
        f"`stagelight learn compare {execution.lesson}`."
    )


def solutions_text(lessons: Sequence[Lesson]) -> str:
    """The page of the reference solutions, apart from the lessons.

    Args:
        lessons: The course.
    """
    parts = ["# Solutions", "One repair of each exercise that passes. Others do too: the ledger decides."]
    for lesson in lessons:
        parts.append(f"## {lesson.title}")
        for exercise in lesson.exercises:
            parts += [f"### {exercise.name}", _code(exercise.solution, "python")]
    return "\n\n".join(parts) + "\n"


def project_page_text(project: Project) -> str:
    """The page of a project: its stages and its starter.

    Args:
        project: The project.
    """
    parts = [
        f"# Project: {project.title}",
        f"*{project.minutes} minutes · {project.hardware}.* Get the starter with "
        f"`stagelight learn project {project.name} --write audit.py`, or as a notebook with "
        f"`stagelight learn notebook {project.name}`.",
        project.problem,
        "## Starter",
        _code(project.starter, "python"),
    ]
    for stage in project.stages:
        command = (
            f"stagelight learn project {project.name} --stage {stage.number} --implementation audit.py "
            "--evidence-dir evidence"
        )
        parts += [f"## Stage {stage.number}: {stage.title}", stage.task, f"```{{code-block}} console\n$ {command}\n```"]
        parts += [_folded("A hint", hint) for hint in stage.hints]
    return "\n\n".join(parts) + "\n"


def index_text(lessons: Sequence[Lesson], projects: Sequence[Project]) -> str:
    """The list of lessons and projects.

    Args:
        lessons: The course.
        projects: The projects.
    """
    rows = "\n".join(
        f"| {lesson.number} | [{lesson.title}]({stem_of(lesson)}.md) | {lesson.level} | {lesson.minutes} |"
        for lesson in lessons
    )
    works = "\n".join(f"- [{project.title}]({project.name}.md), {project.minutes} minutes" for project in projects)
    names = "\n".join([*(stem_of(lesson) for lesson in lessons), *(one.name for one in projects), "solutions"])
    return (
        "# Lessons\n\nPredict, build, run, repair, keep evidence: [the lab](../guide-lab.md). The pages show what was "
        f"recorded; your own run decides.\n\n| | lesson | level | minutes |\n|---|---|---|---|\n{rows}\n\n"
        f"## Projects\n\n{works}\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )


def all_pages(
    lessons: Sequence[Lesson], projects: Sequence[Project], executions: dict[str, Execution]
) -> dict[str, str]:
    """Every page by its file name.

    Args:
        lessons: The course.
        projects: The projects.
        executions: The recorded executions by the lesson's name.
    """
    pages = {f"{stem_of(lesson)}.md": page_text(lesson, executions[lesson.name]) for lesson in lessons}
    pages.update({f"{project.name}.md": project_page_text(project) for project in projects})
    return {**pages, "solutions.md": solutions_text(lessons), "index.md": index_text(lessons, projects)}
