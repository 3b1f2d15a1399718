"""One project in a notebook's kernel.

The program grows from its starter: each ``%%stage N`` cell replaces the part of that stage. The whole of it is checked
in a child process, by the same checks as in a terminal, and its evidence is kept in a folder.
"""

import contextlib
import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from stagelight.errors import LabError
from stagelight.lab.asking import Examiner
from stagelight.lab.project_parts import joined, parts_of, place_of
from stagelight.lab.project_stages import StageRun, evidence_before, keep_evidence, stage_run, stages_called
from stagelight.lab.shown import Shown
from stagelight.lab.study import write_text
from stagelight.lab.verdicts import PASSED
from stagelight.model.examination import Verdict
from stagelight.model.project import Project, Stage
from stagelight.report.document import Document
from stagelight.report.verdict_document import verdict_document

PROGRAM = "implementation.py"


class NotebookProject:
    """One project in one kernel.

    Args:
        shell: IPython's shell.
        project: The project.
        examiner: Runs the program.
        folder: Where program and evidence are kept.
    """

    def __init__(self, shell: Any, project: Project, examiner: Examiner, folder: Path) -> None:
        self._shell = shell
        self._project = project
        self._examiner = examiner
        self._folder = folder
        self._parts = list(parts_of(project, project.starter, "starter"))
        self._hints: Counter[int] = Counter()
        self._passed: set[int] = set()

    def close(self) -> None:
        """Nothing is left open: every stage ran in a child."""

    def setup(self, line: str, cell: str) -> None:
        """``%%setup``: what stands before the first stage, such as imports; it runs here, so that it can be tried."""
        self._parts[0] = cell
        self._shell.run_cell(cell)

    def stage(self, line: str, cell: str | None = None) -> Any:
        """``%%stage N``: check the cell as the stage's part; ``%stage N`` or ``all`` checks the program as it is."""
        chosen = stages_called(self._project, line.strip())
        if cell is not None:
            if len(chosen) != 1:
                message = "a cell is the part of one stage: %%stage NUMBER"
                raise LabError(message)
            self._parts[chosen[0].number] = cell
        runs = [self._run(stage) for stage in chosen]
        last = runs[-1].found
        if last.ending == "answered" and (last.raised is None or last.raised.where == "check"):
            self._define(joined(self._parts))
        documents = [
            verdict_document(self._located(run.verdict), f"Stage {run.stage.number}: {run.stage.title}") for run in runs
        ]
        blocks = tuple(block for document in documents for block in document.blocks)
        return Shown(Document(title=self._project.title, blocks=blocks))

    def _run(self, stage: Stage) -> StageRun:
        source, file = joined(self._parts), self._folder / PROGRAM
        write_text(file, source)
        run = stage_run(stage, source, file, self._examiner, evidence_before(self._folder, stage))
        keep_evidence(self._folder, self._project, run, source)
        if run.verdict.kind == PASSED:
            self._passed.add(stage.number)
        return run

    def _located(self, verdict: Verdict) -> Verdict:
        """The verdict with the cell of each line that it names: nobody sees the program's own line numbers here."""

        def located(found: re.Match[str]) -> str:
            number, line = place_of(self._parts, int(found["line"]))
            cell = f"%%stage {number}" if number else "%%setup"
            return f"{found[0]} (line {line + 1} of the cell {cell})"  # the magic is the cell's first line

        message = re.sub(rf"{re.escape(PROGRAM)}:(?P<line>\d+)", located, verdict.message)
        return msgspec.structs.replace(verdict, message=message)

    def _define(self, source: str) -> None:
        """Let other cells use what the program defines, once it is known to end; what it prints was shown already."""
        with contextlib.redirect_stdout(io.StringIO()):
            self._shell.run_cell(source, store_history=False)

    def hint(self, line: str) -> None:
        """``%hint N``: the next hint of a stage."""
        stage = self._one(line)
        self._hints[stage.number] = min(self._hints[stage.number] + 1, len(stage.hints))
        number = self._hints[stage.number]
        print(f"Hint {number} of {len(stage.hints)}: {stage.hints[number - 1]}")

    def solution(self, line: str) -> None:
        """``%solution N [--give-up]``: the stage's part of the reference, after it passed or after giving up."""
        number, _, more = line.strip().partition(" ")
        stage = self._one(number)
        if stage.number not in self._passed and "--give-up" not in more.split():
            message = f"stage {stage.number} has not passed. To see it anyway: %solution {stage.number} --give-up"
            raise LabError(message)
        print(parts_of(self._project, self._project.solution, "solution")[stage.number].strip("\n"))

    def _one(self, text: str) -> Stage:
        stages = stages_called(self._project, text.strip())
        if len(stages) != 1:
            message = f"name one stage, from 1 to {len(self._project.stages)}"
            raise LabError(message)
        return stages[0]
