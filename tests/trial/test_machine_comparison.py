"""A call of the user's own function on the machine, beside what JAX does with it."""

import msgspec
import numpy as np
import pytest

import stagelight
from stagelight.errors import StagelightError
from stagelight.model.machine_step import MachineComparison
from stagelight.trial.machine_comparison import on_machine, traced_calls

jax = pytest.importorskip("jax")
jnp = jax.numpy


def abstract(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def scaled(x, n=2, mode="sum"):
    return getattr(x, mode)() * n


def told(comparison):
    return [(one.machine.outcome, one.jax.traced, one.agrees) for one in comparison.calls]


def test_traces_and_hits_are_those_of_jax():
    calls = [(abstract(3),), (abstract(3),), (abstract(4),), {"x": abstract(3)}, (abstract(3), 2)]
    seen = on_machine(jax.jit(scaled, static_argnames=("n", "mode")), calls)
    assert told(seen) == [
        ("traced", True, True),
        ("fast path", False, True),
        ("traced", True, True),
        ("traced", True, True),
        ("traced", True, True),
    ]
    assert [(p.name, p.before, p.value) for p in seen.calls[2].machine.differing] == [("aval of x", "f32[3]", "f32[4]")]
    assert all(one.machine.jaxpr == one.jax.jaxpr for one in seen.calls)
    assert msgspec.json.decode(msgspec.json.encode(seen), type=MachineComparison) == seen


def test_nothing_is_computed():
    ran = []

    def f(x):
        ran.append(type(x).__name__)
        return x + 1

    on_machine(f, [(np.ones(3, np.float32),)])
    assert len(ran) == 2
    assert all("Tracer" in name for name in ran)


def test_text_is_static_where_nothing_is_declared():
    assert told(on_machine(scaled, [(abstract(3), 2, "sum"), (abstract(3), 2, "mean")])) == [("traced", True, True)] * 2


def test_the_same_error_is_agreement_and_another_is_not():
    branch = on_machine(lambda x: 1 if x > 0 else 2, [(abstract(),)])
    assert told(branch) == [("failed", True, True)]
    assert branch.calls[0].jax.error.startswith("TracerBoolConversionError: Attempted boolean conversion")
    unhashable = on_machine(jax.jit(scaled, static_argnames="n"), [(abstract(3), [1])])
    assert told(unhashable) == [("failed", False, True)]


def test_what_is_not_modelled_is_named_and_what_is_printed_differently_too():
    (inverse,) = on_machine(lambda x: jnp.linalg.inv(x), [(abstract(2, 2),)]).calls
    assert (inverse.machine.outcome, inverse.agrees) == ("refused", False)
    assert "jax.numpy.linalg" in inverse.notes[0]
    (loop,) = on_machine(lambda x: jax.lax.scan(lambda s, r: (s + r, None), 0.0, x)[0], [(abstract(3),)]).calls
    assert loop.agrees
    assert "scan" in loop.notes[0]
    double = jax.jit(lambda x: x * 2)
    (twice,) = on_machine(lambda x: double(double(x)), [(abstract(3),)]).calls
    assert twice.agrees
    assert "`let`" in twice.notes[0]


def test_equations_of_a_gradient_are_said_to_be_the_machines_own():
    (one,) = on_machine(lambda x: jax.grad(lambda v: jnp.sum(jnp.sin(v)))(x), [(abstract(3),)]).calls
    assert (one.machine.outcome, one.jax.traced, one.agrees) == ("traced", True, False)
    assert "linearizes" in one.notes[-1]


def test_a_container_that_only_jax_knows_is_named():
    class Pair:
        def __init__(self, x):
            self.x = x

    jax.tree_util.register_pytree_node(Pair, lambda p: ((p.x,), None), lambda _, c: Pair(*c))
    (one,) = on_machine(lambda p: p.x * 2, [(Pair(1.0),)]).calls
    assert (one.machine.outcome, one.notes) == (
        "refused",
        ("The reference machine does not model the container Pair.",),
    )
    with pytest.raises(StagelightError, match="the container Pair"):
        traced_calls(lambda p: p.x, [(Pair(1.0),)])


def test_a_difference_is_seen_and_named(monkeypatch):
    from stagelight.reference.operations import structural

    monkeypatch.setattr(structural.reduce_sum, "name", "reduce_all")
    (one,) = on_machine(lambda x: x.sum(), [(abstract(3),)]).calls
    assert not one.agrees
    assert one.notes == (
        "Equation 1 differs: JAX has reduce_sum giving float32[], the machine reduce_all giving float32[].",
    )


@pytest.mark.parametrize("format", ["text", "html", "markdown", "json"])
def test_it_is_shown_in_every_format(format, tmp_path):
    seen = on_machine(scaled, [(abstract(3), 2, "sum"), (abstract(4), 2, "sum")], texts=["f32[3]", "f32[4] & more"])
    with (tmp_path / "shown").open("w+", encoding="utf-8") as file:
        stagelight.show(seen, format=format, file=file)
        file.seek(0)
        text = file.read()
    for words in ("aval of x", "f32[4]", "Python function ran" if format != "json" else "jax_version"):
        assert words in text
    assert "f32[4] & more" in text or (format == "html" and "f32[4] &amp; more" in text)


def test_how_many_traces_some_calls_make_is_told_without_running_the_function():
    ran = []

    def f(x, n=0):
        ran.append(n)
        return x

    calls = [(1.0,), (2.0,), (1,), (1.0, 0), stagelight.call(1.0, n=0)]
    assert traced_calls(f, calls, static_argnums=1) == (True, False, True, True, True)
    assert traced_calls(jax.jit(f, static_argnames="n"), calls) == (True, False, True, True, True)
    assert sum(traced_calls(f, [(np.ones(n),) for n in (3, 4, 3)])) == 2
    assert ran == []


def test_a_value_that_is_not_modelled_is_refused_by_name():
    with pytest.raises(StagelightError, match="complex"):
        traced_calls(lambda x: x, [(1j,)])


def test_settings_other_than_the_default_are_shown_in_the_key(capsys):
    before = jax.config.jax_numpy_dtype_promotion
    jax.config.update("jax_numpy_dtype_promotion", "strict")
    try:
        seen = on_machine(lambda x: x, [(abstract(3),)])
    finally:
        jax.config.update("jax_numpy_dtype_promotion", before)
    stagelight.show(seen)
    stagelight.show(on_machine(lambda x: x, [(abstract(3),)]))
    shown = capsys.readouterr().out
    assert "numpy_dtype_promotion strict" in shown
    assert "default settings" in shown
