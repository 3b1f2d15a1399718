from attribution.programs import Program, f32, i32, only, slugs

from stagelight.model.aval import Aval


def test_another_dtype():
    program = Program()
    program.trace(x=f32(3))
    cause = only(program.trace(x=i32(3)))
    assert (cause.slug, cause.path, cause.before, cause.after) == ("dtype-changed", "x", "f32[3]", "i32[3]")


def test_shape_and_dtype_are_both_named():
    program = Program()
    program.trace(x=f32(4))
    assert sorted(slugs(program.trace(x=i32(5)))) == ["dtype-changed", "shape-changed"]


def test_a_raw_key_in_the_place_of_a_key_array_is_told_by_the_dtype_alone():
    program = Program()
    program.trace(x=Aval((), "key<fry>"))
    cause = only(program.trace(x=Aval((2,), "uint32")))
    assert (cause.slug, cause.before, cause.after) == ("dtype-changed", "key<fry>[]", "u32[2]")
