import pytest
from attribution.programs import Program, f32, i32, only, slugs


@pytest.mark.parametrize("weak_first", [True, False])
def test_only_the_weak_flag_differs(weak_first):
    program = Program()
    program.trace(x=f32(weak=weak_first))
    cause = only(program.trace(x=f32(weak=not weak_first)))
    assert cause.slug == "weak-type-changed"
    assert {cause.before, cause.after} == {"f32[]", "~f32[]"}
    assert cause.detail.startswith("was weak" if weak_first else "now weak")
    assert "Python scalars" in cause.detail


def test_with_another_dtype_the_flag_says_nothing_more():
    program = Program()
    program.trace(x=f32(weak=True))
    assert slugs(program.trace(x=i32())) == ["dtype-changed"]
