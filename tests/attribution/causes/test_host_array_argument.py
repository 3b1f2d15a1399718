from attribution.programs import ON_CPU, Program, f32, only

from stagelight.model.placement import Placement

NUMPY = Placement("host", "numpy.ndarray")


def test_a_numpy_array_where_an_array_was_seen():
    program = Program()
    program.first_call(x=f32(3), placements=(ON_CPU,))
    (miss,) = program.call(x=f32(3), placements=(NUMPY,))
    cause = only([miss])
    assert miss.ledger == "dispatch"
    assert (cause.slug, cause.path, cause.before, cause.after) == (
        "host-array-argument",
        "x",
        "jax.Array",
        "numpy.ndarray",
    )
    assert not miss.avoidable


def test_the_leaf_is_named():
    program = Program()
    program.first_call(x={"a": f32(3), "b": f32()}, placements=(ON_CPU,))
    mixed = {"placements": (ON_CPU, NUMPY), "placement_of": (0, 1)}
    assert only(program.call(x={"a": f32(3), "b": f32()}, **mixed)).path == "x['b']"
