import pytest
from attribution.programs import Program, captured, f32, slugs, thing


@pytest.mark.parametrize("kind", ["closure", "partial", "default"])
def test_a_new_object_captured_another_value(kind):
    program = Program()
    program.trace(x=f32(), object=1, captured=(captured("k", 2, kind),))
    causes = program.trace(x=f32(), object=2, captured=(captured("k", 3, kind),))
    assert slugs(causes) == ["function-recreated", "closure-value-changed"]
    assert (causes[1].path, causes[1].before, causes[1].after) == ("k", "2", "3")


def test_a_global_is_read_by_every_object_alike():
    program = Program()
    program.trace(x=f32(), object=1, captured=(captured("count", 1, "global"),))
    causes = program.trace(x=f32(), object=2, captured=(captured("count", 2, "global"),))
    assert slugs(causes) == ["function-recreated"]


def test_an_equal_object_is_not_another_value():
    program = Program()
    program.trace(x=f32(), object=1, captured=(captured("cfg", thing(1, width=4)),))
    causes = program.trace(x=f32(), object=2, captured=(captured("cfg", thing(2, width=4)),))
    assert slugs(causes) == ["function-recreated"]


def test_a_value_that_was_not_captured_before():
    program = Program()
    program.trace(x=f32(), object=1)
    causes = program.trace(x=f32(), object=2, captured=(captured("k", 3),))
    assert (causes[1].slug, causes[1].before, causes[1].after) == ("closure-value-changed", "absent", "3")
