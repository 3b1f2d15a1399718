import pytest
from attribution.programs import Program, f32, slugs

from stagelight.model.event import Compiled


def warmed_up():
    program = Program()
    program.trace(x=f32(3), under=("lower",))
    about = {"module": "jit_step", "function": 1, "trace": 1, "under": ("compile",)}
    program.feed(Compiled(at_s=1.0, compile_s=1.0, **about))
    return program


@pytest.mark.parametrize("trace", [0, 1])
def test_the_first_call_of_what_was_compiled_ahead_of_time(trace):
    """JAX hands the jaxpr of the inspection to the call, so that the recorder may name its trace."""
    assert slugs(warmed_up().call(x=f32(3), trace=trace)) == ["first-call-after-warm-up"]


def test_the_second_call_is_another_matter():
    program = warmed_up()
    program.call(x=f32(3))
    assert slugs(program.call(x=f32(3))) == ["unknown"]
