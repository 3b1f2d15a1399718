from attribution.programs import Program, f32, only, static, thing


def test_an_equal_object_made_anew():
    program = Program()
    program.trace(x=f32(), mode=static(thing(1, width=4)))
    cause = only(program.trace(x=f32(), mode=static(thing(2, width=4))))
    assert (cause.slug, cause.path) == ("static-object-recreated", "mode")
    assert cause.detail == "equal by value, new object"


def test_another_content_is_another_value():
    program = Program()
    program.trace(x=f32(), mode=static(thing(1, width=4)))
    assert only(program.trace(x=f32(), mode=static(thing(2, width=5)))).slug == "static-value-changed"


def test_one_object_is_one_key():
    program = Program()
    program.trace(x=f32(3), mode=static(thing(1, width=4)))
    assert only(program.trace(x=f32(4), mode=static(thing(1, width=4)))).slug == "shape-changed"
