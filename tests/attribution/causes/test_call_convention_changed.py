from attribution.programs import Program, f32, only, slugs, static


def test_by_position_then_by_keyword():
    program = Program()
    program.trace(x=f32(), y=f32())
    cause = only(program.trace(x=f32(), y=f32(), keywords=("y",)))
    assert (cause.slug, cause.path, cause.before, cause.after) == (
        "call-convention-changed",
        "y",
        "by position",
        "by keyword",
    )


def test_a_default_left_out_then_written():
    program = Program()
    program.trace(x=f32())
    cause = only(program.trace(x=f32(), y=f32(weak=True), keywords=("y",)))
    assert (cause.path, cause.before, cause.after) == ("y", "left to its default", "passed by keyword")


def test_a_static_default_written_out():
    program = Program()
    program.trace(x=f32(), mode=static("sum"))
    cause = only(program.trace(x=f32()))
    assert (cause.path, cause.before, cause.after) == ("mode", "passed by position", "left to its default")


def test_leaves_are_paired_by_name_all_the_same():
    program = Program()
    program.trace(x=f32(2), y=f32(3))
    assert slugs(program.trace(x=f32(2), y=f32(4), keywords=("y",))) == ["call-convention-changed", "shape-changed"]


def test_a_difference_that_no_name_tells_is_still_said():
    program = Program(parameters=())
    program.trace(x=f32(), positional=2)
    cause = only(program.trace(x=f32(), positional=1, keywords=("z",)))
    assert cause.slug == "call-convention-changed"
    assert (cause.before, cause.after) == ("2 by position", "1 by position and z by keyword")
