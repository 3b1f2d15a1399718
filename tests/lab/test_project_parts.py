"""A project's program in parts, and a project that cannot be cut into them."""

import msgspec
import pytest

from stagelight.errors import LessonError
from stagelight.lab.project_parts import joined, parts_of, place_of
from stagelight.lab.project_reading import projects
from stagelight.lab.project_stages import project_complaints

(PROJECT,) = projects()


@pytest.mark.parametrize("what", ["starter", "solution"])
def test_the_parts_make_the_program(what):
    source = getattr(PROJECT, what)
    parts = parts_of(PROJECT, source, what)
    assert len(parts) == 1 + len(PROJECT.stages)
    assert joined(parts) == source


@pytest.mark.parametrize("what", ["starter", "solution"])
def test_every_line_is_found_again_in_its_part(what):
    parts = [f"\n{part}" for part in parts_of(PROJECT, getattr(PROJECT, what), what)]
    for number, line in enumerate(joined(parts).splitlines(), start=1):
        part, place = place_of(parts, number)
        assert not line or parts[part].splitlines()[place - 1] == line


def test_a_stage_without_its_line_is_named():
    with pytest.raises(LessonError, match=r"the starter has lines `# Stage N:` for \[1, 3, 4\], and the stages are"):
        parts_of(PROJECT, PROJECT.starter.replace("# Stage 2:", "# Then:"), "starter")


def test_the_lint_names_it_too(examiner):
    unmarked = PROJECT.solution.replace("# Stage 4:", "# At last:")
    project = msgspec.structs.replace(PROJECT, solution=unmarked, stages=PROJECT.stages)
    first = next(project_complaints(project, examiner))
    assert (first.line, "the solution has lines `# Stage N:` for [1, 2, 3]" in first.message) == (1, True)
