"""The pages of the lab are made from its lessons and what was recorded for them."""

import sys

import pytest
from gates.tree import ROOT

sys.path.insert(0, str(ROOT / "docs" / "extensions"))
lesson_pages = pytest.importorskip("lesson_pages")


def test_the_committed_pages_are_those_of_the_lessons():
    committed = {path.name: path.read_text() for path in (ROOT / "docs" / "lab").glob("*.md")}
    assert committed == lesson_pages.pages(), "write them again with scripts/lessons.sh"


def test_a_lesson_page_shows_outputs_and_keeps_checks_and_solutions_apart():
    from stagelight.lab.course import course, stem_of

    pages = lesson_pages.pages()
    for lesson in course():
        page = pages[f"{stem_of(lesson)}.md"]
        assert ":class: recorded-output" in page
        for exercise in lesson.exercises:
            assert exercise.starter.strip() in page
            assert exercise.solution.strip() not in page
            assert exercise.check.strip() not in page
            assert exercise.solution.strip() in pages["solutions.md"]


def test_a_page_whose_lesson_is_gone_goes(tmp_path):
    folder = tmp_path / "lab"
    folder.mkdir()
    (folder / "99-gone.md").write_text("")
    lesson_pages.write_pages(folder)
    assert not (folder / "99-gone.md").exists()
    assert (folder / "index.md").exists()
