import pytest
from attribution.programs import Program, f32, only, slugs


@pytest.mark.parametrize("name", ["eval_shape", "make_jaxpr", "lower", "trace"])
def test_an_inspection_was_asked_for(name):
    program = Program()
    program.trace(x=f32(3))
    cause = only(program.trace(x=f32(4), under=(name,)))
    assert (cause.slug, cause.after) == ("inspected", name)


def test_the_first_trace_may_be_an_inspection():
    assert slugs(Program().trace(x=f32(3), under=("lower",))) == ["first-trace", "inspected"]


def test_an_inspection_is_expected():
    program = Program()
    program.trace(x=f32(3))
    (miss,) = program.feed(program.traced(x=f32(4), under=("eval_shape",)))
    assert not miss.avoidable
