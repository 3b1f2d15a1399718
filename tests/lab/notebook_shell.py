"""Run the code cells of every lesson's notebook in one IPython shell, solutions and keys filled in.

Prints one JSON object: lesson → what was wrong. A program of its own, so that a shell and a session live here alone.
"""

import contextlib
import io
import json
import os
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell

from stagelight.lab.course import course
from stagelight.lab.executions import shipped_execution
from stagelight.lab.notebook_file import notebook_text
from stagelight.lab.study import study_of
from stagelight.report.lesson_document import shown_answer


def run_lesson(shell, lesson) -> list[str]:
    """What is wrong with one lesson's notebook."""
    execution = shipped_execution(lesson)
    keys = {name: shown_answer(value) for name, value in execution.answers} if execution is not None else {}
    cells = json.loads(notebook_text(lesson, is_solved=True, keys=keys))["cells"]
    wrong: list[str] = []
    for cell in cells[:-1]:  # the last one writes the receipt, which runs everything once more
        if cell["cell_type"] == "code":
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                outcome = shell.run_cell("".join(cell["source"]))
            if not outcome.success or "stagelight:" in said.getvalue():
                wrong.append(f"{cell['source'][0]!r}: {outcome.error_in_exec or said.getvalue()}")
    progress = study_of().progress(lesson)
    if progress.part != "evidence":
        wrong.append(f"the notebook ends at {progress.part}: {progress.exercises}")
    return wrong


def main() -> None:
    """Run all of them."""
    shell = InteractiveShell.instance()
    found = {}
    for lesson in course():
        shell.reset(new_session=True)
        with contextlib.redirect_stdout(io.StringIO()):
            found[lesson.name] = run_lesson(shell, lesson)
    print(json.dumps(found))


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    os.environ["STAGELIGHT_LAB_HOME"] = str(Path(sys.argv[1], "home"))
    main()
