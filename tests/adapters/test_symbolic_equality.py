"""Pins ``jax/_src/export/shape_poly.py`` ``_DimExpr.__eq__``: every unproved equality passes through it."""

import threading

import jax
import pytest
from jax import export

from stagelight.adapters import symbolic_equality
from stagelight.adapters.symbolic_equality import HookMoved, unproved_equalities


def sizes():
    return export.symbolic_shape("b, t")


def test_an_unproved_equality_is_recorded_and_still_false():
    b, t = sizes()
    with unproved_equalities() as recorded:
        assert not b == t
        assert not b == 17
        assert b == b
    assert sorted(map(str, recorded)) == sorted([str(b - t), str(b - 17)])


def test_the_class_is_left_as_it_was():
    dimension_class = type(sizes()[0])
    before, hashing = dimension_class.__eq__, dimension_class.__hash__
    with unproved_equalities():
        assert dimension_class.__eq__ is not before
        assert hash(sizes()[0]) is not None
    assert dimension_class.__eq__ is before
    assert dimension_class.__hash__ is hashing


def test_another_threads_comparisons_are_not_recorded():
    b, t = sizes()
    with unproved_equalities() as recorded:
        thread = threading.Thread(target=lambda: b == t)
        thread.start()
        thread.join()
    assert not recorded


def test_the_canary_refuses_where_the_hook_is_not_asked(monkeypatch):
    monkeypatch.setattr(symbolic_equality, "_patch", lambda: None)
    monkeypatch.setattr(symbolic_equality, "_unpatch", lambda: None)
    with pytest.raises(HookMoved), unproved_equalities():
        pass


def test_a_branch_inside_a_nested_jit_is_recorded():
    (b,) = export.symbolic_shape("b,")
    with unproved_equalities() as recorded:
        jax.make_jaxpr(jax.jit(lambda x: x * 2 if x.shape[0] == 17 else x))(jax.ShapeDtypeStruct((b,), "float32"))
    assert str(b - 17) in recorded
