import pytest
from attribution.programs import Program, f32, i32, only, slugs


def test_one_axis_less_under_vmap():
    program = Program()
    program.trace(x=f32(8, 3))
    cause = only(program.trace(x=f32(3), under=("vmap",)))
    assert (cause.slug, cause.before, cause.after) == ("under-transformation", "none", "vmap")


@pytest.mark.parametrize("name", ["grad", "jvp", "checkpoint"])
def test_the_same_key_through_another_transformation(name):
    program = Program()
    program.trace(x=f32(3))
    assert slugs(program.trace(x=f32(3), under=(name,))) == ["under-transformation"]


def test_the_axis_names_of_a_transformation_are_no_setting_of_the_user():
    program = Program()
    program.trace(x=f32(3), settings={"axis_env_state": "()"})
    causes = program.trace(x=f32(3), under=("vmap",), settings={"axis_env_state": "('rows',)"})
    assert slugs(causes) == ["under-transformation"]


def test_what_it_does_not_explain_is_still_told():
    program = Program()
    program.trace(x=f32(8, 3))
    assert slugs(program.trace(x=i32(8, 3), under=("grad",))) == ["dtype-changed"]


def test_within_the_same_transformation_a_shape_is_a_shape():
    program = Program()
    program.trace(x=f32(3), under=("vmap",))
    assert slugs(program.trace(x=f32(4), under=("vmap",))) == ["shape-changed"]


def test_a_scan_hands_on_what_the_user_gave():
    program = Program()
    program.trace(x=f32(3), under=("scan",))
    assert slugs(program.trace(x=f32(4))) == ["shape-changed"]


def test_a_compile_under_an_eager_transformation():
    program = Program()
    program.first_call(x=f32(3))
    (miss,) = program.call(compiles=True, x=f32(3), tracers=("JVPTracer",), under=("jvp",))
    assert slugs(miss.causes) == ["under-transformation"]
    assert miss.causes[0].after == "jvp"
