from attribution.programs import Program, f32, slugs


def test_the_first_trace_of_a_function():
    assert slugs(Program().trace(x=f32(3))) == ["first-trace"]


def test_a_failed_trace_leaves_no_specialization_so_the_next_one_is_first_again():
    program = Program()
    program.trace(x=f32(3), failed=True)
    assert slugs(program.trace(x=f32(4))) == ["first-trace"]


def test_the_second_trace_is_not_first():
    program = Program()
    program.trace(x=f32(3))
    assert "first-trace" not in slugs(program.trace(x=f32(4)))
