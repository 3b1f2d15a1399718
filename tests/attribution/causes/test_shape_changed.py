from attribution.programs import Program, f32, i32, only, slugs


def test_another_shape():
    program = Program()
    program.trace(x=f32(32, 128))
    cause = only(program.trace(x=f32(17, 128)))
    assert (cause.slug, cause.path, cause.before, cause.after) == ("shape-changed", "x", "f32[32,128]", "f32[17,128]")


def test_each_leaf_is_named_as_the_user_wrote_it():
    program = Program()
    program.trace(x={"layers": [{"w": f32(3, 3)}, {"w": f32(3, 4)}]})
    cause = only(program.trace(x={"layers": [{"w": f32(3, 3)}, {"w": f32(3, 5)}]}))
    assert cause.path == "x['layers'][1]['w']"


def test_it_is_held_against_the_nearest_earlier_key_and_not_the_latest():
    program = Program()
    program.trace(x=f32(4), y=f32(8))
    program.trace(x=f32(5), y=i32(9))
    assert only(program.trace(x=f32(4), y=f32(7))).before == "f32[8]"


def test_many_leaves_are_shortened():
    program = Program()
    program.trace(x=[f32(3)] * 20)
    causes = program.trace(x=[f32(4)] * 20)
    assert slugs(causes) == ["shape-changed"] * 8
    assert causes[-1].detail == "and 12 more"
