from attribution.programs import HERE, Program, f32, only, slugs


def test_the_earlier_trace_of_this_key_raised():
    program = Program()
    program.trace(x=f32(), failed=True)
    program.fail(expression="x > 0", site=HERE)
    cause = only(program.trace(x=f32(), failed=True))
    assert (cause.slug, cause.path, cause.before) == ("earlier-trace-failed", "x > 0", "TracerBoolConversionError")
    assert cause.detail == "traced-condition at train.py:40"


def test_it_holds_without_knowing_what_it_raised():
    program = Program()
    program.trace(x=f32(), failed=True)
    assert slugs(program.trace(x=f32())) == ["earlier-trace-failed"]


def test_a_function_made_anew_beside_it():
    program = Program()
    program.trace(x=f32(), object=1, failed=True)
    assert slugs(program.trace(x=f32(), object=2)) == ["earlier-trace-failed", "function-recreated"]


def test_once_it_succeeded_the_failure_is_over():
    program = Program()
    program.trace(x=f32(), failed=True)
    program.trace(x=f32())
    assert slugs(program.trace(x=f32())) == ["unknown"]


def test_another_key_is_no_retry():
    program = Program()
    program.trace(x=f32(2))
    program.trace(x=f32(3), failed=True)
    assert slugs(program.trace(x=f32(4))) == ["shape-changed"]
