"""Run the stages of a project, and keep their evidence in a folder."""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from stagelight.errors import LabError, LessonError
from stagelight.lab.asking import Examiner
from stagelight.lab.lesson_linting import Complaint, shape_complaints
from stagelight.lab.project_parts import parts_of
from stagelight.lab.verdicts import PASSED, verdict_of
from stagelight.model.examination import Examination, Piece, Request, Verdict
from stagelight.model.project import Project, Stage

STAGE_LIMIT_S = 60.0


class StageRun(msgspec.Struct, frozen=True, kw_only=True):
    """One stage that was run.

    Attributes:
        stage: The stage.
        verdict: What it means.
        found: What was seen.
    """

    stage: Stage
    verdict: Verdict
    found: Examination

    @property
    def evidence(self) -> dict[str, Any]:
        """What the check wrote down."""
        return json.loads(self.found.evidence) if self.found.evidence else {}


def stage_run(stage: Stage, source: str, file: Path, examiner: Examiner, kept: Mapping[str, Any]) -> StageRun:
    """Run one stage.

    Args:
        stage: The stage.
        source: Text of the implementation.
        file: Where it stands.
        examiner: Runs it.
        kept: Evidence of earlier stages, by their number as text.
    """
    request = Request(
        file=str(file.absolute()),
        folder=str(file.absolute().parent),
        pieces=(Piece(role="file", code=source),),
        check=stage.check,
        check_file=f"<cell check of stage {stage.number}>",
        kept=json.dumps(kept),
        time_limit_s=STAGE_LIMIT_S,
    )
    found = examiner.examine(request)
    return StageRun(stage=stage, verdict=verdict_of(stage, found, source, file.name), found=found)


def stages_called(project: Project, text: str) -> tuple[Stage, ...]:
    """The stages that ``1`` to ``4`` or ``all`` name.

    Raises:
        LabError: There is no such stage.
    """
    found = tuple(stage for stage in project.stages if text in ("all", str(stage.number)))
    if not found:
        message = f"{project.name} has no stage {text}; it has {len(project.stages)}, or all"
        raise LabError(message)
    return found


def evidence_before(folder: Path | None, stage: Stage) -> dict[str, Any]:
    """Evidence of earlier stages that a folder holds.

    Raises:
        LabError: A file of it is broken.
    """
    found: dict[str, Any] = {}
    for number in range(1, stage.number):
        path = folder / f"stage-{number}.json" if folder is not None else None
        if path is not None and path.exists():
            try:
                found[str(number)] = json.loads(path.read_text("utf-8"))["evidence"]
            except (OSError, ValueError, KeyError, TypeError) as error:
                message = f"{path} holds no evidence ({type(error).__name__}): run stage {number} again"
                raise LabError(message) from None
    return found


def keep_evidence(folder: Path, project: Project, run: StageRun, source: str) -> tuple[Path, ...]:
    """Write what a stage showed: one JSON file, and each longer text of it as a file of its own.

    Raises:
        LabError: The folder cannot be written.
    """
    name = f"stage-{run.stage.number}"
    record = {
        "project": project.name,
        "project_digest": project.digest,
        "stage": run.stage.number,
        "title": run.stage.title,
        "verdict": run.verdict.kind,
        "message": run.verdict.message,
        "source_digest": hashlib.sha256(source.encode()).hexdigest(),
        "functions": msgspec.to_builtins(run.found.functions),
        "surroundings": msgspec.to_builtins(run.found.surroundings),
        "evidence": run.evidence,
    }
    texts = {f"{name}-{key}.txt": text for key, text in run.evidence.items() if isinstance(text, str) and "\n" in text}
    texts[f"{name}.json"] = json.dumps(record, indent=2, sort_keys=True) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in texts.items():
            (folder / file).write_text(text, "utf-8")
    except OSError as error:
        message = f"the evidence cannot be written to {folder}: {error.strerror}"
        raise LabError(message) from None
    return tuple(folder / file for file in sorted(texts))


def project_complaints(project: Project, examiner: Examiner) -> Iterator[Complaint]:
    """What a project promises and does not keep: starter, solution, wrong implementations, stage by stage."""
    for what in ("starter", "solution"):
        try:
            parts_of(project, getattr(project, what), what)
        except LessonError as error:
            yield Complaint(line=1, message=str(error))
    kept: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="stagelight-lint-") as name:
        file = Path(name, f"{project.name}.py")
        for stage in project.stages:
            yield from shape_complaints(stage, f"stage {stage.number}", ())
            starter = stage_run(stage, project.starter, file, examiner, kept).verdict
            if starter.kind != stage.fails or stage.says not in starter.message:
                wanted = stage.fails + (f", saying {stage.says!r}" if stage.says else "")
                message = f"the starter must fail stage {stage.number} by {wanted}; it is {starter.kind}: "
                yield Complaint(line=stage.line, message=message + starter.message)
            solved = stage_run(stage, project.solution, file, examiner, kept)
            if solved.verdict.kind != PASSED:
                message = f"the solution fails stage {stage.number}: {solved.verdict.kind}: {solved.verdict.message}"
                yield Complaint(line=stage.line, message=message)
            yield from _mutant_complaints(stage, file, examiner, kept)
            kept[str(stage.number)] = solved.evidence


def _mutant_complaints(stage: Stage, file: Path, examiner: Examiner, kept: Mapping[str, Any]) -> Iterator[Complaint]:
    for mutant in stage.mutants:
        verdict = stage_run(stage, mutant.code, file, examiner, kept).verdict
        if verdict.kind == PASSED or (mutant.rejected_as and verdict.kind != mutant.rejected_as):
            wanted = f" as {mutant.rejected_as}" if mutant.rejected_as else ""
            message = f"wrong implementation {mutant.name} must be rejected{wanted}; it is {verdict.kind}: "
            yield Complaint(line=mutant.line, message=message + verdict.message)
