from attribution.programs import Program, f32, only


def test_another_option():
    program = Program()
    program.first_call(x=f32(3), jit=1)
    program.feed(program.traced(x=f32(3), ran=False))
    cause = only(
        program.call(compiles=True, x=f32(3), trace=program.traces, jit=2, options=(("donate_argnums", "(0,)"),))
    )
    assert (cause.slug, cause.path, cause.before, cause.after) == (
        "jit-options-changed",
        "donate_argnums",
        "default",
        "(0,)",
    )
