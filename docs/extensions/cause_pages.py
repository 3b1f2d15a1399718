"""Make one page for each cause, advisory and failure from the text that stands beside its rule."""

from pathlib import Path

from stagelight.attribution.page import Page
from stagelight.attribution.pages import PAGES

GROUPS = {
    "cause": "Causes: why something was traced, compiled or dispatched slowly again",
    "advisory": "Advisories: nothing missed, still worth saying",
    "failure": "Failures: tracing raised",
}


def page_text(page: Page) -> str:
    """One page in Markdown, in the order in which ``stagelight rule`` prints it."""
    parts = [f"# {page.slug}", f"**{page.title}**", page.meaning]
    if page.ledgers:
        parts.append(f"Appears in: {', '.join(page.ledgers)} ledger{'s' if len(page.ledgers) > 1 else ''}.")
    if page.evidence:
        parts += ["## Evidence", page.evidence]
    parts += ["## What to do", page.fix]
    for title, example in (("Before", page.example_before), ("After", page.example_after)):
        if example:
            parts += [f"## {title}", f"```{{code-block}} python\n{example.strip()}\n```"]
    return "\n\n".join(parts) + "\n"


def index_text() -> str:
    """The list of all pages by group, each with its title."""
    parts = ["# Causes"]
    for group, title in GROUPS.items():
        pages = [page for page in PAGES if page.group == group]
        rows = "\n".join(f"| [{page.slug}]({page.slug}.md) | {page.title} |" for page in pages)
        parts += [f"## {title}", f"| slug | in one line |\n|---|---|\n{rows}"]
    names = "\n".join(page.slug for page in PAGES)
    parts.append(f"```{{toctree}}\n:hidden:\n\n{names}\n```")
    return "\n\n".join(parts) + "\n"


def write_pages(folder: Path) -> None:
    """Write all pages, and take away those whose slug is gone; unchanged files keep their time."""
    folder.mkdir(exist_ok=True)
    texts = {"index": index_text(), **{page.slug: page_text(page) for page in PAGES}}
    for name, text in texts.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    for path in folder.glob("*.md"):
        if path.stem not in texts:
            path.unlink()


def setup(app) -> dict[str, bool]:
    """Called by Sphinx."""
    write_pages(Path(app.srcdir) / "causes")
    return {"parallel_read_safe": True}
