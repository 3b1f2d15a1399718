from attribution.programs import Program, f32, i32, only, slugs


def test_exactly_this_key_after_all_caches_were_emptied():
    program = Program()
    program.trace(x=f32())
    program.clear()
    cause = only(program.trace(x=f32()))
    assert (cause.slug, cause.path, cause.after) == ("cache-cleared", "jax.clear_caches()", "train.py:40")


def test_the_cache_of_one_function():
    program = Program()
    program.trace(x=f32())
    program.clear(function=1)
    assert only(program.trace(x=f32())).path == "step.clear_cache()"


def test_the_latest_clearing_is_named():
    program = Program()
    program.trace(x=f32())
    program.clear(function=1)
    program.trace(x=f32())
    program.clear()
    assert only(program.trace(x=f32())).path == "jax.clear_caches()"


def test_the_cache_of_another_function_is_of_no_account():
    program = Program()
    program.trace(x=f32())
    program.clear(function=2)
    assert slugs(program.trace(x=f32())) == ["unknown"]


def test_a_key_that_was_never_traced_would_have_been_traced_anyhow():
    program = Program()
    program.trace(x=f32())
    program.clear()
    assert slugs(program.trace(x=i32())) == ["dtype-changed"]


def test_one_clearing_explains_one_trace_of_each_key():
    program = Program()
    program.trace(x=f32())
    program.clear()
    program.trace(x=f32())
    assert slugs(program.trace(x=f32())) == ["unknown"]


def test_a_compile_after_a_clearing():
    program = Program()
    program.first_call(x=f32())
    program.clear()
    (miss,) = program.call(compiles=True, x=f32())
    assert slugs(miss.causes) == ["cache-cleared"]
