"""Write the documentation pages of the rules of `check` from the rules' own files: docs/rules/SLUG.md and the index."""

from pathlib import Path

from stagelight.inspection.slugs import RULE_SLUGS
from stagelight.lint.rule_page import rule_page, rule_title

FOLDER = Path(__file__).parents[1] / "docs" / "rules"


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    # The examples are programs with mistakes: shown, not run, with the page. Their own test checks them.
    written = {
        f"{slug}.md": (rule_page(slug) or "").replace("```python\n", "```{code-block} python\n") for slug in RULE_SLUGS
    }
    rows = "\n".join(f"| [{slug}]({slug}.md) | {rule_title(slug)} |" for slug in RULE_SLUGS)
    toctree = "\n".join(RULE_SLUGS)
    written["index.md"] = (
        "# Rules of check\n\nEach page is the text of the rule's own file; `stagelight rule SLUG` shows it too.\n\n"
        f"| rule | finds |\n|---|---|\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{toctree}\n```\n"
    )
    return written


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.md"):
        old.unlink()
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
