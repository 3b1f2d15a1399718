"""The lab in a notebook: ``%load_ext stagelight.lab.magics``, then ``%lesson NUMBER`` or ``%project NAME``."""

import atexit
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stagelight.errors import LabError, StagelightError
from stagelight.lab.asking import Examiner
from stagelight.lab.course import lesson_called
from stagelight.lab.notebook_lesson import NotebookLesson
from stagelight.lab.notebook_project import NotebookProject
from stagelight.lab.project_reading import project_called
from stagelight.lab.study import started_study, study_of

# Name → kind, as IPython calls it: of the notebook, of a lesson, of a project, of both.
MAGICS = {
    "lesson": "line",
    "project": "line",
    "predict": "cell",
    "observe": "cell",
    "repair": "cell",
    "checkpoint": "cell",
    "receipt": "line",
    "setup": "cell",
    "stage": "line_cell",
    "hint": "line",
    "solution": "line",
}


class LabMagics:
    """The magics; all but ``%lesson`` and ``%project`` need one of the two first.

    Args:
        shell: IPython's shell.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._examiner = Examiner()
        self._open: NotebookLesson | NotebookProject | None = None

    def open_lesson(self, line: str) -> None:
        """``%lesson N``: begin or go on with a lesson in this kernel."""
        self._end()
        lesson = lesson_called(line.strip())
        try:
            study = study_of()
        except LabError:
            study = started_study(None)
        study.restore()
        self._examiner.start()
        self._open = NotebookLesson(self._shell, study, lesson, self._examiner)
        print(f"Lesson {lesson.number}: {lesson.title}. The journal is that of {study.workspace}.")

    def open_project(self, line: str) -> None:
        """``%project NAME [FOLDER]``: begin a project; what its stages show is kept in the folder."""
        self._end()
        name, *folders = shlex.split(line) or [""]
        project = project_called(name)
        folder = Path(folders[0] if folders else f"{project.name}-evidence")
        self._examiner.start()
        self._open = NotebookProject(self._shell, project, self._examiner, folder)
        print(f"Project: {project.title}. Your program and what its stages show are kept in {folder}.")

    def close(self) -> None:
        """End what is open, and the process that runs repairs."""
        self._end()
        self._examiner.close()

    def _end(self) -> None:
        before, self._open = self._open, None
        if before is not None:
            before.close()

    def called(self, name: str) -> Callable[..., Any]:
        """The magic of a name, as a function that says what is wrong without a traceback."""

        def magic(*arguments: str) -> Any:
            try:
                return self._deed(name)(*arguments)
            except StagelightError as error:
                print(f"stagelight: {error}", file=sys.stderr)
                return None

        return magic

    def _deed(self, name: str) -> Callable[..., Any]:
        if name in ("lesson", "project"):
            return self.open_lesson if name == "lesson" else self.open_project
        if self._open is None:
            message = "nothing is open: run %lesson NUMBER or %project NAME first"
            raise LabError(message)
        deed = getattr(self._open, name, None)
        if deed is None:
            is_lesson = isinstance(self._open, NotebookLesson)
            message = f"a {'lesson' if is_lesson else 'project'} is open, and {name} belongs to " + (
                "a project: run %project NAME first" if is_lesson else "a lesson: run %lesson NUMBER first"
            )
            raise LabError(message)
        return deed


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext``."""
    magics = LabMagics(shell)
    for name, kind in MAGICS.items():
        shell.register_magic_function(magics.called(name), magic_kind=kind, magic_name=name)
    atexit.register(magics.close)
