import pytest
from attribution.programs import Program, Static, f32, only, static, thing


def changed(before, after):
    program = Program()
    program.trace(x=f32(), mode=static(before))
    return only(program.trace(x=f32(), mode=static(after)))


def test_another_value():
    cause = changed("sum", "mean")
    assert (cause.slug, cause.path, cause.before, cause.after) == ("static-value-changed", "mode", "'sum'", "'mean'")


@pytest.mark.parametrize(("before", "after"), [(2, 2.0), (1, True), (2.0, 2)])
def test_another_type_is_another_value(before, after):
    cause = changed(before, after)
    assert (cause.slug, cause.before, cause.after) == ("static-value-changed", repr(before), repr(after))


def test_texts_that_look_alike_are_told_apart_by_their_types():
    one = thing(1, type_name="a.One")
    other = type(one)(type_name="b.One", text=one.text, token="#2", compared_by="identity")
    cause = changed(one, other)
    assert (cause.before, cause.after) == ("a.One() (a.One)", "a.One() (b.One)")


def test_the_field_that_differs_is_named():
    cause = changed(thing(1, width=4, depth=2), thing(2, width=8, depth=2))
    assert (cause.slug, cause.path, cause.before, cause.after) == ("static-value-changed", "mode.width", "4", "8")
    assert cause.detail == "told apart by its identity"


def test_the_parameters_of_an_eager_operation_are_static():
    from attribution.programs import captured

    program = Program(kind="eager")
    program.trace(x=f32(4), captured=(captured("axes", (0,), "parameter"),), object=1)
    cause = only(program.trace(x=f32(4), captured=(captured("axes", (1,), "parameter"),), object=2))
    assert (cause.slug, cause.path, cause.before, cause.after) == ("static-value-changed", "axes", "(0,)", "(1,)")


def test_a_static_argument_is_found_however_many_there_are():
    program = Program(parameters=("x", "a", "b", "c"))
    statics = {name: static(0) for name in "abc"}
    program.trace(x=f32(), **statics)
    assert only(program.trace(x=f32(), **{**statics, "b": Static(static(1).value)})).path == "b"
