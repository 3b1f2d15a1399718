from attribution.programs import Program, f32, only, static, thing


def test_an_equal_object_with_another_hash():
    program = Program()
    program.trace(x=f32(), mode=static(thing(1, compared_by="hash", width=4)))
    cause = only(program.trace(x=f32(), mode=static(thing(2, compared_by="hash", width=4))))
    assert (cause.slug, cause.path) == ("static-hash-unstable", "mode")
    assert "hash differs" in cause.detail
