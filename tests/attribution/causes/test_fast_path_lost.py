from attribution.programs import Program, f32, only


def test_an_error_took_the_fast_path():
    program = Program()
    program.first_call(x=f32(3))
    assert only(program.call(x=f32(3), lost_fast_path=True)).slug == "fast-path-lost"
