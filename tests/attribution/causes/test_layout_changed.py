from attribution.programs import ON_CPU, Program, f32, only

from stagelight.model.placement import Placement


def test_another_layout():
    program = Program()
    program.first_call(x=f32(4, 2), placements=(ON_CPU,))
    other = Placement("array", sharding="single device", devices="cpu:0", layout="(1, 0)")
    cause = only(program.call(compiles=True, x=f32(4, 2), placements=(other,)))
    assert (cause.slug, cause.path, cause.before, cause.after) == ("layout-changed", "x", "default layout", "(1, 0)")
