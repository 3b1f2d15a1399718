from attribution.programs import Program, f32, i32, slugs, static


def test_every_part_was_seen_and_never_together():
    program = Program()
    program.trace(x=f32(4), mode=static("sum"))
    program.trace(x=f32(5), mode=static("mean"))
    causes = program.trace(x=f32(4), mode=static("mean"))
    assert slugs(causes)[0] == "new-combination"
    assert set(causes[0].path.split(", ")) == {"x", "mode"}
    assert slugs(causes)[1:] in (["static-value-changed"], ["shape-changed"])


def test_a_value_that_was_never_seen_is_no_combination():
    program = Program()
    program.trace(x=f32(4), mode=static("sum"))
    program.trace(x=f32(5), mode=static("mean"))
    assert slugs(program.trace(x=f32(4), mode=static("max"))) == ["static-value-changed"]


def test_a_setting_may_be_one_of_the_parts():
    program = Program()
    on, off = {"jax_enable_x64": "True"}, {"jax_enable_x64": "False"}
    program.trace(x=f32(), settings=off)
    program.trace(x=i32(), settings=off)
    program.trace(x=f32(), settings=on)
    assert "new-combination" in slugs(program.trace(x=i32(), settings=on))


def test_a_structure_may_be_one_of_the_parts():
    program = Program()
    program.trace(x=[f32()], mode=static(1))
    program.trace(x=[f32(), f32()], mode=static(1))
    program.trace(x=[f32()], mode=static(2))
    assert "new-combination" in slugs(program.trace(x=[f32(), f32()], mode=static(2)))


def test_a_new_function_object_was_not_seen_before():
    program = Program()
    program.trace(x=f32(4), object=1)
    program.trace(x=f32(5), object=1)
    assert slugs(program.trace(x=f32(5), object=2)) == ["function-recreated"]
