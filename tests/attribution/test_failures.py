from attribution.programs import HERE, Program, f32

from stagelight.attribution.pending_failures import MOST_PENDING
from stagelight.model.event import Ended, NotHandled


def test_a_failure_is_handled_unless_the_program_ended_with_it():
    program = Program()
    program.trace(x=f32(), failed=True)
    program.fail(expression="x > 0", site=HERE, column=8, arguments=("x",))
    program.trace(x=f32(), failed=True)
    program.fail()
    first, last = program.feed(NotHandled(failure=2))
    assert (first.slug, first.expression, first.column, first.arguments) == ("traced-condition", "x > 0", 8, ("x",))
    assert (first.handled, last.handled) == (True, False)


def test_failures_are_certain_when_the_session_ends():
    program = Program()
    assert program.fail() == []
    (failure,) = program.feed(Ended(at_s=9.0))
    assert failure.handled
    assert program.found_failures() == []


def test_a_killed_program_still_tells_its_failures():
    program = Program()
    program.fail(slug="other", error="ValueError", trace=0)
    (failure,) = program.found_failures()
    assert (failure.slug, failure.error) == ("other", "ValueError")


def test_what_is_kept_back_is_bounded():
    program = Program()
    told = [failure for _ in range(MOST_PENDING + 10) for failure in program.fail()]
    assert len(told) == 10
