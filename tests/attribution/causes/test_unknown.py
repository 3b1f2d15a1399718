from attribution.programs import ON_CPU, Program, f32, only

from stagelight.model.aval import Aval
from stagelight.model.placement import Placement


def test_exactly_this_key_again():
    program = Program()
    program.trace(x=f32())
    cause = only(program.trace(x=f32()))
    assert cause.slug == "unknown"
    assert cause.detail == "exactly this key was traced before, and nothing emptied the caches"


def test_a_part_of_an_aval_without_a_name():
    program = Program()
    program.trace(x=Aval((3,), "float32"))
    cause = only(program.trace(x=Aval((3,), "float32", extra="memory host")))
    assert (cause.slug, cause.path, cause.after) == ("unknown", "x", "memory host")


def test_the_raw_parts_that_differ_are_named():
    program = Program()
    program.trace(x=f32(), structure="never defined")
    cause = only(program.trace(x=f32(), structure="nor this"))
    assert cause.detail == "differs from trace 1 in the structure of the arguments"


def test_a_compile_of_what_was_compiled():
    program = Program()
    program.first_call(x=f32(), placements=(ON_CPU,))
    assert only(program.call(compiles=True, x=f32(), placements=(ON_CPU,))).slug == "unknown"


def test_a_slow_call_with_another_placement_and_no_compile():
    program = Program()
    program.first_call(x=f32(), placements=(ON_CPU,))
    moved = Placement("array", sharding="single device", devices="cpu:1")
    cause = only(program.call(x=f32(), placements=(moved,)))
    assert (cause.slug, cause.path, cause.before, cause.after) == ("unknown", "x", "cpu:0", "cpu:1")
