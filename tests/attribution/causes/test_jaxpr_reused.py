from attribution.programs import Program, f32, slugs


def test_a_new_wrapper_found_the_jaxpr():
    program = Program()
    program.first_call(x=f32(3), jit=1)
    assert program.feed(program.traced(x=f32(3), ran=False)) == []
    (miss,) = program.call(x=f32(3), trace=program.traces, jit=2)
    assert (miss.ledger, slugs(miss.causes)) == ("dispatch", ["jaxpr-reused"])


def test_another_wrapper_served_these_avals():
    program = Program()
    program.first_call(x=f32(3), jit=1)
    assert slugs(program.call(x=f32(3), jit=2)) == ["jaxpr-reused"]
