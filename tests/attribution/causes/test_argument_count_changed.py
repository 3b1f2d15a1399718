from attribution.programs import Program, f32, only


def test_more_arguments_for_a_star():
    program = Program(parameters=())
    program.trace(**{"a[0]": f32()})
    cause = only(program.trace(**{"a[0]": f32(), "a[1]": f32()}))
    assert (cause.slug, cause.before, cause.after) == ("argument-count-changed", "1 argument", "2 arguments")


def test_a_default_written_out_is_not_another_count():
    program = Program(parameters=("x", "y"))
    program.trace(x=f32())
    assert only(program.trace(x=f32(), y=f32())).slug == "call-convention-changed"
