from attribution.programs import Program, f32, only

from stagelight.model.placement import Placement


def placed(sharding, devices="cpu:0,cpu:1"):
    return (Placement("array", sharding=sharding, committed=True, devices=devices),)


def test_another_sharding():
    program = Program()
    program.first_call(x=f32(4), placements=placed("P()"))
    cause = only(program.call(compiles=True, x=f32(4), placements=placed("P('d')")))
    assert (cause.slug, cause.path, cause.before, cause.after) == ("sharding-changed", "x", "P()", "P('d')")


def test_more_devices_are_another_sharding():
    program = Program()
    program.first_call(x=f32(4), placements=placed("single device", "cpu:0"))
    assert only(program.call(compiles=True, x=f32(4), placements=placed("P('d')"))).slug == "sharding-changed"
