from attribution.programs import Program, captured, f32, only, slugs

from stagelight.model.site import Site


def test_the_same_code_in_a_new_object():
    program = Program(kind="lambda")
    program.trace(x=f32(), object=1)
    made_at = Site("project/train.py", 30, "run")
    cause = only(program.trace(x=f32(), object=2, made_at=made_at, made_times=3, earlier_object_alive=False))
    assert (cause.slug, cause.path) == ("function-recreated", "step")
    assert cause.detail == "jitted at train.py:30, 3 times by then, the earlier object is dead"


def test_a_cell_that_was_run_again_is_marked():
    program = Program()
    program.trace(x=f32(), object=1)
    cause = only(program.trace(x=f32(), object=2, rerun_of_cell=True))
    assert "cell was run again" in cause.detail


def test_it_is_told_alone_when_an_older_object_was_traced_with_all_else_equal():
    program = Program()
    program.trace(x=f32(3), object=1)
    program.trace(x=f32(4), object=1)
    program.trace(x=f32(4), object=2)
    assert slugs(program.trace(x=f32(3), object=2)) == ["function-recreated"]


def test_another_shape_is_told_beside_it():
    program = Program()
    program.trace(x=f32(3), object=1)
    assert slugs(program.trace(x=f32(4), object=2)) == ["function-recreated", "shape-changed"]


def test_what_the_new_object_captured_without_a_change_is_not_told():
    program = Program()
    program.trace(x=f32(), object=1, captured=(captured("k", 2),))
    assert slugs(program.trace(x=f32(), object=2, captured=(captured("k", 2),))) == ["function-recreated"]


def test_the_objects_of_eager_operations_are_of_no_account():
    program = Program(kind="eager")
    program.trace(x=f32(3), object=1)
    assert slugs(program.trace(x=f32(4), object=2)) == ["shape-changed"]
