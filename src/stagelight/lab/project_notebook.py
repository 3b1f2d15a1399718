"""A project as a Jupyter notebook and as a Python file, from the same text as its page."""

from stagelight.lab.notebook_file import commented, notebook_of
from stagelight.lab.project_parts import parts_of
from stagelight.model.project import Project, Stage

LOAD = "%load_ext stagelight.lab.magics\n%project {name}"
ALL = "%stage all"
HOW = """The program is in the cells below, part by part. Edit a stage's cell and run it: the cell takes the place of
that part, the whole program is checked, and what the stage showed is kept in the evidence folder. Once a stage has run,
names of the program can be tried in cells of your own."""
TOGETHER = "## All stages\n\nThe program as the cells made it, every stage in turn."


def project_notebook_text(project: Project, *, is_solved: bool = False) -> str:
    """The project as a notebook, nbformat 4.5.

    Args:
        project: The project.
        is_solved: Put the reference solution where the starter would be.
    """
    source, what = (project.solution, "solution") if is_solved else (project.starter, "starter")
    first, *others = parts_of(project, source, what)
    cells = [
        ("markdown", f"# {project.title}\n\n{project.problem}\n\n{HOW}"),
        ("code", LOAD.format(name=project.name)),
        ("code", f"%%setup\n{first}"),
    ]
    for stage, part in zip(project.stages, others, strict=True):
        cells.append(("markdown", _heading(stage)))
        cells.append(("code", f"%%stage {stage.number}\n{part}"))
        cells.append(("markdown", f"For a hint, run `%hint {stage.number}` in a cell of its own."))
    return notebook_of([*cells, ("markdown", TOGETHER), ("code", ALL)])


def project_python_text(project: Project) -> str:
    """The project's starter as a Python file, its prose as comments in cells; it is an implementation to edit.

    Args:
        project: The project.
    """
    first, *others = parts_of(project, project.starter, "starter")
    cells = [f"# %% [markdown]\n{commented(f'# {project.title}' + chr(10) * 2 + project.problem)}", _cell(first)]
    for stage, part in zip(project.stages, others, strict=True):
        command = f"stagelight learn project {project.name} --stage {stage.number} --implementation {project.name}.py"
        cells += [f"# %% [markdown]\n{commented(f'{_heading(stage)}{chr(10) * 2}Check it: `{command}`')}", _cell(part)]
    return "\n\n".join(cells) + "\n"


def _heading(stage: Stage) -> str:
    return f"## Stage {stage.number}: {stage.title}\n\n{stage.task}"


def _cell(code: str) -> str:
    return "# %%\n" + code.strip("\n")
