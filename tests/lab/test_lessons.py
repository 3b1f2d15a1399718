"""Every lesson and project keeps its promises on this JAX, and does what was recorded for it.

A starter fails for the stated reason, the solution passes, each wrong repair is rejected, each key can be typed: all of
it is run, once, and the recorded executions and the pages are held against the same run.
"""

import pytest

from stagelight.lab.asking import Examiner
from stagelight.lab.course import course, lesson_files
from stagelight.lab.executions import differences, execution_from_linted, shipped_execution
from stagelight.lab.lesson_linting import FEWEST_MUTANTS, linted
from stagelight.lab.project_reading import projects
from stagelight.lab.project_stages import project_complaints
from stagelight.model.lesson import LEVELS, Lesson

# The rows of the capabilities that lessons teach; the projects exercise S12.
ROWS = {f"S{number}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)}


@pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.name)
def test_a_lesson_keeps_its_promises(lesson: Lesson, examiner: Examiner):
    found = linted(lesson, examiner, known=[one.name for one in course()])
    assert [f"{one.line}: {one.message}" for one in found.complaints] == []
    rejected = [what for _, what, verdict in found.verdicts if what.startswith("wrong ") and verdict.kind != "passed"]
    assert len(rejected) >= FEWEST_MUTANTS * len(lesson.exercises)
    recorded = shipped_execution(lesson)
    assert recorded is not None, "its execution is of another text: record it with scripts/lessons.sh"
    here = execution_from_linted(lesson, found)
    if here.surroundings.jax == recorded.surroundings.jax:
        assert list(differences(recorded, here)) == []


@pytest.mark.parametrize("project", projects(), ids=lambda project: project.name)
def test_a_project_keeps_its_promises(project, examiner: Examiner):
    assert [f"{one.line}: {one.message}" for one in project_complaints(project, examiner)] == []
    recorded = shipped_execution(project)
    assert recorded is not None, "its execution is of another text: record it with scripts/lessons.sh"
    assert {one.verdict for one in recorded.references} == {"passed"}


def test_the_course_is_in_order():
    assert [lesson.number for lesson in course()] == list(range(1, len(lesson_files()) + 1))
    done: set[str] = set()
    for lesson in course():
        assert set(lesson.prerequisites) <= done, f"{lesson.name} needs a lesson that comes later"
        done.add(lesson.name)


def test_every_lesson_has_a_repair_of_each_level():
    assert [one.name for one in course() if [e.level for e in one.exercises] != list(LEVELS)] == []


def test_every_row_is_taught():
    assert {row for lesson in course() for row in lesson.rows} >= ROWS
