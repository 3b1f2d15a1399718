from attribution.programs import Program, f32, only

from stagelight.model.placement import Placement


def test_another_device():
    program = Program()
    on = [(Placement("array", sharding="single device", committed=True, devices=f"cpu:{n}"),) for n in range(2)]
    program.first_call(x=f32(4), placements=on[0])
    cause = only(program.call(compiles=True, x=f32(4), placements=on[1]))
    assert (cause.slug, cause.path, cause.before, cause.after) == ("device-changed", "x", "cpu:0", "cpu:1")
