from attribution.programs import Program, f32, slugs, static, thing


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


def test_an_argument_with_a_hash_of_its_own_was_found_by_chance():
    config = static(thing(1, compared_by="hash"))
    program = Program()
    program.first_call(x=f32(3), config=config)
    assert slugs(program.call(x=f32(3), config=config)) == ["jaxpr-reused"]


def test_an_argument_that_is_compared_by_identity_is_not_found_by_chance():
    config = static(thing(1))
    program = Program()
    program.first_call(x=f32(3), config=config)
    assert slugs(program.call(x=f32(3), config=config)) == ["unknown"]
