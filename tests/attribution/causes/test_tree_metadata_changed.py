from attribution.programs import Node, Program, f32, only, thing, value

from stagelight.model.value import Value


def changed(before, after):
    program = Program()
    program.trace(x=Node("Model", {"w": f32(3)}, {"act": before}))
    return only(program.trace(x=Node("Model", {"w": f32(3)}, {"act": after})))


def test_a_field_with_another_value():
    cause = changed(value(0.1), value(0.2))
    assert (cause.slug, cause.path, cause.before, cause.after) == ("tree-metadata-changed", "x.act", "0.1", "0.2")


def test_the_deepest_field_that_differs_is_named():
    cause = changed(thing(1, width=3, depth=2), thing(2, width=4, depth=2))
    assert (cause.path, cause.before, cause.after) == ("x.act.width", "3", "4")


def test_an_equal_function_that_was_made_anew():
    before, after = (
        Value(type_name="function", text="<lambda>", token=t, compared_by="identity", content="c") for t in "ab"
    )
    cause = changed(before, after)
    assert cause.slug == "tree-metadata-changed"
    assert "new object" in cause.detail


def test_a_field_that_came_and_one_that_went():
    program = Program()
    program.trace(x=Node("Model", {"w": f32(3)}, {"a": value(1)}))
    causes = program.trace(x=Node("Model", {"w": f32(3)}, {"b": value(2)}))
    assert [(c.path, c.before, c.after) for c in causes] == [("x.b", "absent", "2"), ("x.a", "1", "absent")]
