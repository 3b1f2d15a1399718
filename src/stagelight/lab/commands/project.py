"""``stagelight learn project``: the stages of a project, each with its own checks."""

import sys
from pathlib import Path

import click

from stagelight.errors import LabError, UsageError
from stagelight.lab.asking import Examiner
from stagelight.lab.project_reading import project_called
from stagelight.lab.project_stages import evidence_before, keep_evidence, stage_run, stages_called
from stagelight.lab.verdicts import PASSED
from stagelight.model.project import Project, Stage
from stagelight.report.terminal import write_terminal
from stagelight.report.verdict_document import verdict_document


@click.command(
    epilog="""\b
Examples:
  stagelight learn project transforms-audit --write audit.py
  stagelight learn project transforms-audit --stage 1 --implementation audit.py
  stagelight learn project transforms-audit --stage all --implementation solution --evidence-dir evidence
"""
)
@click.argument("name", metavar="PROJECT")
@click.option("--stage", "stage_text", default="all", show_default=True, metavar="N|all", help="Which stages to run.")
@click.option(
    "--implementation",
    default="starter",
    show_default=True,
    metavar="starter|solution|PATH",
    help="The program to check.",
)
@click.option("--evidence-dir", type=click.Path(path_type=Path, file_okay=False), help="Keep what each stage showed.")
@click.option("--write", "target", type=click.Path(path_type=Path, dir_okay=False), help="Write the starter and stop.")
@click.option("--hint", type=click.IntRange(min=1), metavar="N", help="Show the N-th hint of --stage and stop.")
def command(
    name: str,
    stage_text: str,
    implementation: str,
    evidence_dir: Path | None,
    target: Path | None,
    hint: int | None,
) -> None:
    """Check an implementation of PROJECT, stage by stage; `stagelight learn show PROJECT` says what each asks.

    Each stage runs the implementation under the ledger and then its own checks. With --evidence-dir each stage's
    evidence is kept there, and later stages read it. Exit code 1 if a stage does not pass.
    """
    project = project_called(name)
    if target is not None:
        _write_starter(project, target)
        return
    stages = stages_called(project, stage_text)
    if hint is not None:
        click.echo(_hint(stages, hint))
        return
    source, file = _implementation(project, implementation)
    click.echo(f"{_judged(project, implementation)}\n")
    if not _all_pass(project, stages, source, file, evidence_dir):
        sys.exit(1)


def _all_pass(project: Project, stages: tuple[Stage, ...], source: str, file: Path, evidence_dir: Path | None) -> bool:
    """Run stage after stage, and tell each verdict."""
    kept: dict[str, object] = {}
    failed = False
    with Examiner() as examiner:
        for stage in stages:
            before = {**evidence_before(evidence_dir, stage), **kept}
            run = stage_run(stage, source, file, examiner, before)
            kept[str(stage.number)] = run.evidence
            failed = failed or run.verdict.kind != PASSED
            write_terminal(verdict_document(run.verdict, f"Stage {stage.number}: {stage.title}"))
            if evidence_dir is not None:
                paths = keep_evidence(evidence_dir, project, run, source)
                click.echo(f"  kept: {', '.join(map(str, paths))}")
            click.echo()
    return not failed


def _hint(stages: tuple[Stage, ...], number: int) -> str:
    """One hint of one stage.

    Raises:
        UsageError: No single stage is named, or it has fewer hints.
    """
    if len(stages) != 1:
        message = "hints are of one stage: name it with --stage N"
        raise UsageError(message)
    (stage,) = stages
    if number > len(stage.hints):
        message = f"stage {stage.number} has {len(stage.hints)} hints"
        raise UsageError(message)
    return f"Hint {number} of {len(stage.hints)}: {stage.hints[number - 1]}"


def _judged(project: Project, implementation: str) -> str:
    """Which program the verdicts are about."""
    if implementation == "starter":
        write = f"stagelight learn project {project.name} --write audit.py"
        return f"Checking the starter. To check your own: {write}, then --implementation audit.py"
    return f"Checking {'the solution' if implementation == 'solution' else implementation}."


def _write_starter(project: Project, target: Path) -> None:
    if target.exists():
        message = f"{target} exists; name another file, so that nothing of yours is lost"
        raise LabError(message)
    target.write_text(project.starter, "utf-8")
    click.echo(f"Wrote {target}. Check it with: stagelight learn project {project.name} --implementation {target}")


def _implementation(project: Project, text: str) -> tuple[str, Path]:
    if text in ("starter", "solution"):
        return getattr(project, text), Path(f"{text}.py")
    path = Path(text)
    try:
        return path.read_text("utf-8"), path
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}. Get the starter with --write {path}"
        raise LabError(message) from None
