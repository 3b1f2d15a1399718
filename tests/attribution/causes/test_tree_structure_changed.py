from attribution.programs import Node, Program, f32, only, slugs


def changed(before, after, **call):
    program = Program()
    program.trace(x=before)
    return program.trace(x=after, **call)


def test_a_longer_list():
    cause = only(changed([f32()] * 2, [f32()] * 3))
    assert (cause.slug, cause.path, cause.before, cause.after) == (
        "tree-structure-changed",
        "x",
        "list of 2",
        "list of 3",
    )


def test_a_key_added_and_one_removed():
    cause = only(changed({"w": f32(), "b": f32()}, {"w": f32(), "b2": f32()}))
    assert cause.path == "x"
    assert cause.before == "dict with 'b', 'w'"
    assert cause.after == "dict with 'b2', 'w'"
    assert cause.detail == "key added 'b2', key removed 'b'"


def test_a_leaf_where_none_was():
    cause = only(changed({"m": None}, {"m": f32(2)}))
    assert (cause.path, cause.before, cause.after) == ("x['m']", "None", "f32[2]")


def test_a_node_of_another_kind_below():
    cause = only(changed([{"a": f32()}], [(f32(),)]))
    assert (cause.path, cause.before, cause.after) == ("x[0]", "dict with 'a'", "tuple of 1")


def test_a_node_of_a_class():
    before, after = Node("Adam", {"mu": f32()}), Node("Empty", {})
    cause = only(changed((before,), (after,)))
    assert (cause.path, cause.before, cause.after) == ("x[0]", "Adam", "Empty")
    more = only(changed(before, Node("Adam", {"mu": f32(), "nu": f32()})))
    assert more.after == "Adam with mu, nu"


def test_leaves_at_common_paths_are_still_compared():
    causes = changed({"w": f32(3), "b": f32()}, {"w": f32(4)})
    assert slugs(causes) == ["tree-structure-changed", "shape-changed"]
    assert causes[1].path == "x['w']"


def test_other_names_among_the_keywords():
    program = Program(parameters=("x",))
    program.trace(**{"x": f32(), "options['a']": f32()}, keywords=("a",))
    cause = only(program.trace(**{"x": f32(), "options['b']": f32()}, keywords=("b",)))
    assert (cause.slug, cause.path, cause.before, cause.after) == (
        "tree-structure-changed",
        "options",
        "options['a']",
        "options['b']",
    )
