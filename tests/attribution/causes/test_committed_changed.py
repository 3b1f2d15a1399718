from attribution.programs import ON_CPU, Program, f32, only

from stagelight.model.placement import Placement

COMMITTED = Placement("array", sharding="single device", committed=True, devices="cpu:0")


def test_an_array_became_committed():
    program = Program()
    program.first_call(x=f32(3), placements=(ON_CPU,))
    cause = only(program.call(compiles=True, x=f32(3), placements=(COMMITTED,)))
    assert (cause.slug, cause.path, cause.before, cause.after) == (
        "committed-changed",
        "x",
        "uncommitted",
        "committed to cpu:0",
    )


def test_a_host_value_in_the_place_of_a_committed_array():
    program = Program()
    program.first_call(x=f32(3), placements=(COMMITTED,))
    cause = only(program.call(compiles=True, x=f32(3), placements=(Placement("host", "numpy.ndarray"),)))
    assert (cause.slug, cause.after) == ("committed-changed", "uncommitted (numpy.ndarray)")


def test_it_is_held_against_the_call_that_is_placed_most_alike():
    program = Program()
    program.first_call(x=[f32(3), f32(4)], placements=(ON_CPU,))
    program.call(compiles=True, x=[f32(3), f32(4)], placements=(COMMITTED,))
    mixed = {"placements": (COMMITTED, ON_CPU), "placement_of": (0, 1)}
    cause = only(program.call(compiles=True, x=[f32(3), f32(4)], **mixed))
    assert (cause.path, cause.before) == ("x[1]", "committed to cpu:0")
