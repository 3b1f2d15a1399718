from attribution.programs import Program, f32, slugs

from stagelight.model.event import Compiled


def test_a_compile_that_follows_from_a_trace():
    program = Program()
    (miss,) = program.first_call(x=f32(3))
    assert (miss.ledger, slugs(miss.causes)) == ("compile", ["first-compile"])
    assert (miss.lower_s, miss.seconds) == (0.5, 2.5)


def test_also_when_that_trace_was_avoidable_whose_cost_it_then_is():
    program = Program()
    program.first_call(x=f32(3))
    (miss,) = program.first_call(x=f32(4))
    assert slugs(miss.causes) == ["first-compile"]
    assert not miss.avoidable
    assert miss.avoidable_s == miss.seconds


def test_the_first_compile_of_a_key_that_was_only_traced():
    program = Program()
    program.trace(x=f32(3), under=("eval_shape",))
    (miss,) = program.call(compiles=True, x=f32(3))
    assert slugs(miss.causes) == ["first-compile"]


def test_a_compile_ahead_of_time():
    program = Program()
    program.trace(x=f32(3), under=("lower",))
    about = {"module": "jit_step", "function": 1, "trace": program.traces, "under": ("compile",)}
    (miss,) = program.feed(Compiled(at_s=1.0, compile_s=1.0, module_digest="a", **about))
    assert slugs(miss.causes) == ["first-compile"]
    (again,) = program.feed(Compiled(at_s=2.0, compile_s=1.0, module_digest="a", **about))
    assert slugs(again.causes) == ["unknown"]


def test_a_failed_compile_is_no_miss():
    program = Program()
    program.trace(x=f32(3))
    dispatched = program.dispatched(x=f32(3), trace=1)
    about = {"module": "jit_step", "function": 1, "dispatch": 1, "trace": 1}
    assert program.feed(dispatched, Compiled(at_s=1.0, compile_s=1.0, failed=True, **about)) == []
