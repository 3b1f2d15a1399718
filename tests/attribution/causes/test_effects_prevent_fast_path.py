from attribution.programs import Program, f32, only


def test_ordered_effects():
    program = Program()
    program.first_call(x=f32(3))
    cause = only(program.call(x=f32(3), effects=("OrderedDebugEffect",)))
    assert (cause.slug, cause.after) == ("effects-prevent-fast-path", "OrderedDebugEffect")
