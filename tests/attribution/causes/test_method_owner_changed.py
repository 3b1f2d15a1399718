from attribution.programs import Program, captured, f32, only, slugs, thing


def test_a_method_of_another_object():
    program = Program(kind="method")
    program.trace(x=f32(), object=1, captured=(captured("self", thing(1, type_name="Model", k=2), "owner"),))
    cause = only(
        program.trace(x=f32(), object=2, captured=(captured("self", thing(2, type_name="Model", k=2), "owner"),))
    )
    assert (cause.slug, cause.path) == ("method-owner-changed", "self")
    assert cause.detail == "equal by value, new object"


def test_the_field_of_the_owner_that_differs():
    program = Program(kind="method")
    program.trace(x=f32(), object=1, captured=(captured("self", thing(1, type_name="Model", k=2), "owner"),))
    cause = only(
        program.trace(x=f32(), object=2, captured=(captured("self", thing(2, type_name="Model", k=3), "owner"),))
    )
    assert (cause.path, cause.before, cause.after) == ("self.k", "2", "3")


def test_the_same_owner_bound_anew():
    owner = captured("self", thing(1, type_name="Model", k=2), "owner")
    program = Program(kind="method")
    program.trace(x=f32(), object=1, captured=(owner,))
    cause = only(program.trace(x=f32(), object=2, captured=(owner,), earlier_object_alive=False))
    assert cause.slug == "method-owner-changed"
    assert cause.detail == "the same owner, bound anew and the earlier bound method is dead"


def test_a_function_has_no_owner():
    program = Program(kind="function")
    program.trace(x=f32(), object=1)
    assert slugs(program.trace(x=f32(), object=2)) == ["function-recreated"]
