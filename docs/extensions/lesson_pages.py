"""Make the pages of the lab's lessons from the lessons themselves, with the output that was recorded for them."""

from pathlib import Path

from stagelight.lab.course import course
from stagelight.lab.executions import shipped_execution
from stagelight.lab.lesson_page import all_pages
from stagelight.lab.project_reading import projects


def pages() -> dict[str, str]:
    """Text of every page by its file name; a lesson without a recorded execution is an error."""
    executions = {lesson.name: shipped_execution(lesson) for lesson in course()}
    missing = [name for name, execution in executions.items() if execution is None]
    if missing:
        message = f"not recorded as they are: {', '.join(missing)}; run: scripts/lessons.sh"
        raise RuntimeError(message)
    return all_pages(course(), projects(), {name: one for name, one in executions.items() if one is not None})


def write_pages(folder: Path) -> None:
    """Write all pages, and take away those whose lesson is gone; unchanged files keep their time."""
    folder.mkdir(exist_ok=True)
    texts = pages()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    for path in folder.glob("*.md"):
        if path.name not in texts:
            path.unlink()


def setup(app) -> dict[str, bool]:
    """Called by Sphinx."""
    write_pages(Path(app.srcdir) / "lab")
    return {"parallel_read_safe": True}
