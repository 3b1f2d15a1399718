"""One rule, one file, one slug, one page: and the page's own examples hold."""

import re
from pathlib import Path

import pytest
from staging_programs import PRELUDE

from stagelight.lint import rules
from stagelight.lint.mistakes import find_mistakes
from stagelight.lint.program import Program
from stagelight.lint.rule_page import SECTIONS, rule_page, rule_title
from stagelight.lint.rule_table import RULES
from stagelight.lint.source_module import SourceModule

SLUGS = [rule.slug for rule in RULES]
ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def _section(slug, title):
    return re.split(r"^## ", rule_page(slug), flags=re.MULTILINE)[1 + SECTIONS.index(title)]


def _slugs_found(code):
    module = SourceModule(name="m", path="m.py", text=PRELUDE + code)
    return {finding.slug for finding in find_mistakes(module, Program(lambda name: None)).findings}


def test_files_slugs_and_pages_are_the_same():
    files = {p.stem.replace("_", "-") for p in Path(rules.__file__).parent.glob("*.py")} - {"--init--"}
    pages = {p.stem for p in (ROOT / "docs" / "rules").glob("*.md")} - {"index"}
    assert files == set(SLUGS) == pages
    assert len(SLUGS) == len(set(SLUGS))


@pytest.mark.parametrize("slug", SLUGS)
def test_the_documentation_is_the_text_of_the_file(slug):
    page = (ROOT / "docs" / "rules" / f"{slug}.md").read_text()
    assert page.replace("```{code-block} python\n", "```python\n") == rule_page(slug)


@pytest.mark.parametrize("slug", SLUGS)
def test_a_page_has_its_sections_in_order(slug):
    titles = re.findall(r"^## (.+)$", rule_page(slug), re.MULTILINE)
    assert tuple(titles) == SECTIONS
    assert rule_title(slug)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_example_is_found_and_what_to_use_instead_is_not(slug):
    (bad,) = _FENCE.findall(_section(slug, "Example"))
    (good,) = _FENCE.findall(_section(slug, "Use instead"))
    assert slug in _slugs_found(bad)
    assert not _slugs_found(good)


def test_an_unknown_slug_has_no_page():
    assert rule_page("no-such-rule") is None
    assert rule_title("no-such-rule") == ""
