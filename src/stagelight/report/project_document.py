"""A project as a document: what a learner reads in a terminal."""

from stagelight.model.project import Project, Stage
from stagelight.report.document import Code, Document, Paragraph, Section, Text
from stagelight.report.prose import prose_blocks
from stagelight.report.quantities import counted


def project_document(project: Project) -> Document:
    """Title, problem, and the task of each stage with the command that checks it.

    Args:
        project: The project.
    """
    start = Paragraph((Text("Get the starter: "), Code(f"stagelight learn project {project.name} --write audit.py")))
    head = Section(
        title=(Text(f"Project: {project.title}", "strong"),),
        aside=(Text(f"{project.minutes} minutes", "muted"),),
        children=(*prose_blocks(project.problem), start, *(_stage_section(project, one) for one in project.stages)),
    )
    return Document(title=project.title, blocks=(head,))


def _stage_section(project: Project, stage: Stage) -> Section:
    command = f"stagelight learn project {project.name} --stage {stage.number}"
    check = Paragraph((Text("Check it: "), Code(f"{command} --implementation audit.py --evidence-dir evidence")))
    hints = Paragraph((Text(f"{counted(len(stage.hints), 'hint')}: ", "muted"), Code(f"{command} --hint 1", "muted")))
    return Section(
        title=(Text(f"Stage {stage.number}: {stage.title}", "strong"),),
        children=(*prose_blocks(stage.task), check, hints),
        level=3,
    )
