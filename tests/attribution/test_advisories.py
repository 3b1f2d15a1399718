import msgspec
import pytest
from attribution.programs import HERE, Program, f32, i32, value

from stagelight.attribution.limits import Limits
from stagelight.model.event import CallsCounted, CaptureChanged, Constant, FunctionSeen, LineCount, SideEffect
from stagelight.model.site import Site

LINE = Site("project/train.py", 20, "step")


def said(program, **call):
    return [a for a in program.feed(program.traced(x=f32(), **call)) if a.__class__.__name__ == "Advisory"]


def test_stale_capture():
    program = Program()
    changed = CaptureChanged(function=1, name="scale", before=value(2), after=value(3))
    (advisory,) = program.feed(changed)
    assert (advisory.slug, advisory.path, advisory.before, advisory.after) == ("stale-capture", "scale", "2", "3")
    assert (advisory.site.file, advisory.site.line) == ("project/train.py", 12)
    assert program.feed(changed) == []


@pytest.mark.parametrize(("repetitions", "count"), [(15, 0), (16, 1)])
def test_unrolled_loop(repetitions, count):
    advisories = said(Program(), unrolled=(LineCount(LINE, repetitions, 40),), equations=50)
    assert [(a.slug, a.site, a.after, a.detail) for a in advisories] == [
        ("unrolled-loop", LINE, "16 times", "40 of 50 equations")
    ] * count


@pytest.mark.parametrize(("size", "count"), [((1 << 20) - 1, 0), (1 << 20, 1)])
def test_large_constant(size, count):
    advisories = said(Program(), constants=(Constant(name="table", aval=f32(512, 512), size_bytes=size),))
    assert [(a.slug, a.path, a.after, a.detail) for a in advisories] == [
        ("large-constant", "table", "f32[512,512]", "1.0 MiB in the program")
    ] * count


def test_trace_time_side_effect_is_said_once():
    program = Program()
    effects = (SideEffect("print", LINE),)
    (advisory,) = said(program, side_effects=effects)
    assert (advisory.slug, advisory.path, advisory.site) == ("trace-time-side-effect", "print", LINE)
    assert said(program, side_effects=effects) == []


def test_cond_became_select():
    (advisory,) = said(Program(), selects=(LINE,))
    assert (advisory.slug, advisory.site) == ("cond-became-select", LINE)


@pytest.mark.parametrize(("traces", "count"), [(8, 0), (9, 1)])
def test_many_specializations_name_the_argument_that_multiplies_them(traces, count):
    program = Program()
    for n in range(traces):
        program.trace(x=f32(100 - n), y=i32(n % 2))
    found = [a for a in program.advisories() if a.slug == "many-specializations"]
    assert [(a.path, a.after) for a in found] == [("x", "9 specializations")] * count


def test_many_specializations_of_a_function_that_is_made_anew():
    program = Program()
    for n in range(9):
        program.trace(x=f32(3), object=n + 1)
    (advisory,) = program.advisories()
    assert (advisory.slug, advisory.path) == ("many-specializations", "function object")


@pytest.mark.parametrize(
    ("sizes", "count"), [((2, 3, 4, 5), 0), ((2, 3, 4, 5, 6), 1), ((6, 5, 4, 3, 2), 0), ((2, 3, 4, 1, 5, 6), 0)]
)
def test_growing_shapes(sizes, count):
    program = Program()
    for n in sizes:
        program.trace(x=f32(n, 8))
    found = [a for a in program.advisories() if a.slug == "growing-shapes"]
    assert [(a.path, a.before, a.after) for a in found] == [("x.shape[0]", "2", "6")] * count


def test_axes_that_grow_together_are_told_once():
    program = Program()
    for n in range(2, 8):
        program.trace(x=f32(n, n), y=f32(8))
    (advisory,) = [a for a in program.advisories() if a.slug == "growing-shapes"]
    assert (advisory.path, advisory.detail) == ("x.shape[0]", "6 sizes in a row, as 1 more")


def test_what_jax_itself_jits_is_left_to_its_callers():
    program = Program()
    function = msgspec.structs.replace(program.function, number=2, module="jax._src.numpy.ufuncs")
    program.feed(FunctionSeen(function=function))
    for n in range(2, 20):
        program.feed(program.traced(x=f32(n), function=2))
    assert program.advisories() == []


def test_single_use_specialization():
    program = Program()
    program.trace(x=f32(32))
    program.trace(x=f32(17))
    program.feed(
        CallsCounted(function=1, calls=40, first_argument="f32[32]", call=HERE),
        CallsCounted(function=1, calls=1, first_argument="f32[17]", call=HERE),
    )
    (advisory,) = program.advisories()
    assert (advisory.slug, advisory.path, advisory.after) == (
        "single-use-specialization",
        "f32[17]",
        "1 of 41 calls",
    )


def test_without_counted_calls_nothing_is_said_of_them():
    program = Program()
    program.trace(x=f32(32))
    program.trace(x=f32(17))
    assert program.advisories() == []


def test_limits_are_configuration():
    program = Program(limits=Limits(many=1, growing=2))
    program.trace(x=f32(1))
    program.trace(x=f32(2))
    assert [a.slug for a in program.advisories()] == ["many-specializations", "growing-shapes"]
