"""Two locks held against each other, and changes taken in one by one."""

import msgspec
import pytest

from stagelight.comparison.lock_acceptance import accepted
from stagelight.comparison.lock_difference import lock_changes
from stagelight.model.lock import KeyPart, Lock, LockedFunction, LockedSpecialization


def row(x, equations=100, constants=()):
    return LockedSpecialization(key=(KeyPart("x", x),), equations=equations, constants=constants)


def lock(*rows, causes=(), jax="1", traces=None):
    traces = len(rows) if traces is None else traces
    function = LockedFunction(name="a.py::f", traces=traces, compiles=traces, causes=causes, specializations=rows)
    return Lock(jax=jax, functions=(function,))


def told(before, after):
    return [(c.severity, c.kind, c.before, c.after) for c in lock_changes(before, after)]


def test_the_same_differs_in_nothing():
    assert told(lock(row("f32[3]")), lock(row("f32[3]"))) == []


def test_an_added_specialization_is_an_error_with_the_part_that_differs():
    added = lock_changes(lock(row("f32[3]")), lock(row("f32[3]"), row("f32[4]")))[0]
    assert (added.severity, added.kind) == ("error", "specialization-added")
    assert [(p.name, p.before, p.after) for p in added.parts] == [("x", "f32[3]", "f32[4]")]


@pytest.mark.parametrize(("equations", "severity"), [(115, "note"), (116, "warning"), (99, "note")])
def test_a_program_that_grew_warns_beyond_fifteen_percent(equations, severity):
    assert told(lock(row("f32[3]")), lock(row("f32[3]", equations)))[0][0] == severity


def test_equations_are_not_compared_under_another_jax():
    assert told(lock(row("f32[3]")), lock(row("f32[3]", 900), jax="2")) == []


def test_a_cause_that_was_added_is_an_error_and_one_that_is_gone_a_note():
    clean, dirty = lock(row("f32[3]")), lock(row("f32[3]"), causes=(("cache-cleared", 2),))
    assert told(clean, dirty) == [("error", "cause-added", "0", "2")]
    assert told(dirty, clean) == [("note", "cause-gone", "2", "0")]


def test_a_new_constant_warns():
    assert told(lock(row("f32[3]")), lock(row("f32[3]", constants=("table f32[9] 36 bytes",))))[0][0] == "warning"


def test_all_accepted_is_now_and_none_accepted_is_before():
    before = lock(row("f32[3]"), row("f32[9]"), causes=(("shape-changed", 1),))
    now = lock(row("f32[3]", 130), row("f32[4]"), row("f32[5]"), causes=(("cache-cleared", 1),))
    assert accepted(before, now, lambda change: True) == now
    assert accepted(before, now, lambda change: False) == before


def test_what_is_not_accepted_stays_a_difference():
    before, now = lock(row("f32[3]")), lock(row("f32[3]"), row("f32[4]"), causes=(("shape-changed", 1),))
    kept = accepted(before, now, lambda change: change.kind != "cause-added")
    assert [change.kind for change in lock_changes(kept, now)] == ["cause-added"]


def test_a_function_that_is_gone_leaves_the_lock():
    gone = msgspec.structs.replace(lock(), functions=())
    assert accepted(lock(row("f32[3]")), gone, lambda change: True) == gone
