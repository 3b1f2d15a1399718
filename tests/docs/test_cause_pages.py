"""There is a page for each cause, advisory and failure, made from the text beside its rule."""

import sys

import pytest
from gates.tree import ROOT, SOURCE

sys.path.insert(0, str(ROOT / "docs" / "extensions"))
cause_pages = pytest.importorskip("cause_pages")


def slugs_of_files(group: str) -> set[str]:
    """Slugs by the names of the files of one group."""
    folder = SOURCE / "attribution" / group
    return {path.stem.replace("_", "-") for path in folder.glob("*.py") if path.stem != "__init__"}


def test_pages_are_the_files(tmp_path):
    cause_pages.write_pages(tmp_path / "causes")
    written = {path.stem for path in (tmp_path / "causes").glob("*.md")}
    assert written - {"index"} == {page.slug for page in cause_pages.PAGES}
    assert slugs_of_files("causes") | slugs_of_files("advisories") <= written


def test_a_page_whose_slug_is_gone_goes(tmp_path):
    folder = tmp_path / "causes"
    folder.mkdir()
    (folder / "forgotten.md").write_text("# forgotten\n")
    cause_pages.write_pages(folder)
    assert not (folder / "forgotten.md").exists()


def test_a_page_says_what_to_do():
    (page,) = [page for page in cause_pages.PAGES if page.slug == "shape-changed"]
    text = cause_pages.page_text(page)
    assert text.startswith("# shape-changed\n")
    assert page.fix in text
    assert "```{code-block} python" in text
