"""A learner's place: the workspace with the files that are edited, and outside it everything that must not be lost."""

import contextlib
import hashlib
import os
from pathlib import Path

from stagelight import __version__
from stagelight.errors import LabError
from stagelight.lab.course import course, stem_of
from stagelight.lab.digests import text_digest
from stagelight.lab.journal import Journal
from stagelight.lab.progress import ExerciseProgress, LessonProgress, lesson_progress
from stagelight.lab.requests import PROGRAM, pieces_of, source_of
from stagelight.model.journal import Began
from stagelight.model.lesson import Exercise, Lesson

DEFAULT_FOLDER = "stagelight-lab"
HOME_VARIABLE = "STAGELIGHT_LAB_HOME"
RECEIPTS = "receipts"
LONGEST_SOURCE_BYTES = 1_000_000

WELCOME = """# The lab

Everything here is yours to edit. Go on with:

    stagelight learn

Each lesson has a folder: `program.py` is what the lesson builds, the other files are repaired. What you predicted,
passed and read is kept outside this folder, so that nothing is lost if a file or the whole folder goes.
"""


def lab_home() -> Path:
    """Where journals are: $STAGELIGHT_LAB_HOME, or `stagelight/lab` in the user's state folder."""
    chosen = os.environ.get(HOME_VARIABLE)
    if chosen:
        return Path(chosen)
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "stagelight" / "lab"


class Study:
    """One workspace with its journal.

    Args:
        workspace: The folder with the learner's files.

    Attributes:
        is_adopted: Whether it was laid before, by a lab whose journal is not here.

    Raises:
        LabError: The journal was changed.
    """

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.home = home_of(workspace)
        self.journal = Journal(self.home / "journal.jsonl")
        self.is_adopted = False

    def lay(self) -> None:
        """Make workspace and journal.

        Raises:
            LabError: A folder cannot be made.
        """
        try:
            self.workspace.mkdir(parents=True, exist_ok=True)
            self.home.mkdir(parents=True, exist_ok=True)
            (self.home / "workspace").write_text(str(self.workspace), "utf-8")
            (lab_home() / "last").write_text(str(self.workspace), "utf-8")
            if not (self.workspace / "README.md").exists():
                (self.workspace / "README.md").write_text(WELCOME, "utf-8")
        except OSError as error:
            message = f"the workspace {self.workspace} cannot be laid: {error.strerror}"
            raise LabError(message) from None
        if not self.journal.entries:
            self.journal.append(Began(stagelight=__version__))

    def progress(self, lesson: Lesson) -> LessonProgress:
        """How far a lesson is."""
        return lesson_progress(lesson, self.journal.entries)

    def exercise_progress(self, lesson: Lesson, exercise: Exercise) -> ExerciseProgress:
        """How far an exercise is."""
        return self.progress(lesson).exercises[exercise.name]

    def folder(self, lesson: Lesson) -> Path:
        """The lesson's folder in the workspace."""
        return self.workspace / stem_of(lesson)

    def exercise_file(self, lesson: Lesson, exercise: Exercise) -> Path:
        """The file that is repaired."""
        return self.folder(lesson) / f"{exercise.name}.py"

    def program_file(self, lesson: Lesson) -> Path:
        """The file that the lesson builds."""
        return self.folder(lesson) / PROGRAM

    def open_lesson(self, lesson: Lesson) -> tuple[Path, ...]:
        """Lay what is missing of a lesson: each file as it was last checked, or as its starter.

        Returns:
            The files that were laid as they were last checked: somebody took them away.
        """
        gone: list[Path] = []
        for exercise in lesson.exercises:
            file = self.exercise_file(lesson, exercise)
            if not file.exists():
                last = self._last_source(lesson, exercise)
                gone += [file] if last is not None else []
                write_text(file, last or exercise.starter)
        if self.progress(lesson).predicted is not None and not self.program_file(lesson).exists():
            write_text(self.program_file(lesson), source_of(pieces_of(lesson)))
        return tuple(gone)

    def keep_source(self, source: str) -> str:
        """Keep a text outside the workspace under its hash, which is returned."""
        digest = text_digest(source)
        path = self.home / "sources" / f"{digest}.py"
        if not path.exists():
            write_text(path, source)
        return digest

    def kept_source(self, digest: str) -> str | None:
        """A text that was kept, or None."""
        path = self.home / "sources" / f"{digest}.py"
        with contextlib.suppress(OSError, UnicodeDecodeError):
            text = path.read_text("utf-8")
            if text_digest(text) == digest:
                return text
        return None

    def note_last_source(self, lesson: Lesson, exercise: Exercise, digest: str) -> None:
        """Remember which text was checked last, to lay it again."""
        write_text(self.home / "last-sources" / f"{stem_of(lesson)}-{exercise.name}", digest)

    def forget_last_source(self, lesson: Lesson, exercise: Exercise) -> None:
        """After a reset the starter is laid again."""
        (self.home / "last-sources" / f"{stem_of(lesson)}-{exercise.name}").unlink(missing_ok=True)

    def _last_source(self, lesson: Lesson, exercise: Exercise) -> str | None:
        with contextlib.suppress(OSError):
            return self.kept_source((self.home / "last-sources" / f"{stem_of(lesson)}-{exercise.name}").read_text())
        return None

    def restore(self) -> tuple[Path, ...]:
        """Lay again what was taken away. The journal is written again from memory if its file went too.

        Returns:
            What was gone: the workspace, or single files, which were laid as they were last checked.
        """
        self.journal.restore()
        gone = () if self.workspace.exists() else (self.workspace,)
        self.lay()
        files: list[Path] = []
        for lesson in course():
            if self.progress(lesson).predicted is not None or self.folder(lesson).exists():
                files += self.open_lesson(lesson)
        return gone or tuple(files)


def home_of(workspace: Path) -> Path:
    """Where the journal of a workspace is."""
    digest = hashlib.sha256(str(workspace).encode()).hexdigest()[:16]
    return lab_home() / digest


def study_of(folder: Path | None = None) -> Study:
    """The study whose workspace holds a folder, or the one that was used last.

    Args:
        folder: The folder; where the process stands if absent.

    Raises:
        LabError: There is none.
    """
    here = folder or _working_folder()
    for place in (here, *here.parents) if here is not None else ():
        if (home_of(place) / "journal.jsonl").exists():
            return Study(place)
    laid = _laid_place(here)
    if laid is not None:
        message = (
            f"{laid} was laid by the lab, and its journal is not in {lab_home()} ($STAGELIGHT_LAB_HOME says where). "
            f"Begin anew there, with your files as they are: stagelight learn start {laid}"
        )
        raise LabError(message)
    with contextlib.suppress(OSError):
        last = Path((lab_home() / "last").read_text("utf-8"))
        if (home_of(last) / "journal.jsonl").exists():
            return Study(last)
    message = "there is no workspace here. Lay one with: stagelight learn start"
    raise LabError(message)


def _laid_place(folder: Path | None) -> Path | None:
    """The workspace around a folder by its README alone, whether or not its journal is here."""
    for place in (folder, *folder.parents) if folder is not None else ():
        if is_laid(place):
            return place
    return None


def is_laid(place: Path) -> bool:
    """Whether a folder holds the README of the lab."""
    beginning = WELCOME.partition("\n\n    ")[0]
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return (place / "README.md").read_text("utf-8").startswith(beginning)
    return False


def _working_folder() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:  # a program deleted the folder that the shell stands in
        return None


def started_study(folder: Path | None) -> Study:
    """Lay a workspace, or find the one that is known here; one that another journal knew is adopted with its files.

    Args:
        folder: Where. If absent: the workspace that the process stands in, or ``stagelight-lab`` in the working folder.

    Raises:
        LabError: There is a file of that name, or the folder holds something else.
    """
    place = Path(os.path.abspath(folder or _laid_place(_working_folder()) or DEFAULT_FOLDER))
    if place.exists() and not place.is_dir():
        message = f"{place} is a file. Name a folder: stagelight learn start FOLDER"
        raise LabError(message)
    study = Study(place)
    is_new = not study.journal.entries
    study.is_adopted = is_new and is_laid(place)
    if is_new and not study.is_adopted and place.is_dir() and any(place.iterdir()):
        message = f"{place} holds other files. Name a new folder: stagelight learn start FOLDER"
        raise LabError(message)
    if is_new:
        study.lay()
    return study


def read_source(file: Path) -> str:
    """A learner's file as text.

    Raises:
        LabError: It is gone, too large, or no text.
    """
    try:
        encoded = file.read_bytes()
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}"
        raise LabError(message) from None
    if len(encoded) > LONGEST_SOURCE_BYTES:
        message = f"{file} is larger than {LONGEST_SOURCE_BYTES // 1000} kB; a repair is a few lines"
        raise LabError(message)
    try:
        return encoded.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        message = f"{file} is no text in UTF-8: byte {error.start}"
        raise LabError(message) from None


def write_text(file: Path, text: str) -> None:
    """Write a file whole, with its folder.

    Raises:
        LabError: It cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f".{file.name}.part")
        part.write_text(text, "utf-8")
        part.replace(file)
    except OSError as error:
        message = f"{file} cannot be written: {error.strerror}"
        raise LabError(message) from None
