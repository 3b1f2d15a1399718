"""The tables about JAX and NumPy say what this JAX and this NumPy do."""

import functools

import pytest

jax = pytest.importorskip("jax")
equinox = pytest.importorskip("equinox")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from stagelight.lint.jax_names import (  # noqa: E402
    DATA_DEPENDENT_FUNCTIONS,
    NUMPY_DELEGATING,
    SHAPE_PARAMETERS,
)

X = np.arange(6.0, dtype=np.float32).reshape(2, 3) + 1


def _passes(function, *arguments):
    try:
        jax.jit(lambda *a: (function(*a), 0)[1])(*arguments)
    except Exception:
        return False
    return True


@pytest.mark.parametrize("name", sorted(NUMPY_DELEGATING))
def test_a_tracer_passes_through_these_numpy_functions(name):
    function = getattr(np, name, None)
    if function is None:
        pytest.skip(f"this NumPy has no {name}")
    tries = [(X,), (X, X), (X.astype(int), X.astype(int))]
    by_axis = _passes(lambda a: function(a, 0), X)
    assert by_axis or any(_passes(function, *arguments) for arguments in tries)


@pytest.mark.parametrize("name", ["sin", "exp", "dot", "stack", "where", "maximum", "linalg.norm"])
def test_a_tracer_does_not_pass_through_these(name):
    function = np
    for part in name.split("."):
        function = getattr(function, part)
    arguments = {"dot": (X, X.T), "where": (X > 1, X, X), "maximum": (X, X)}.get(name, (X,))
    assert not _passes(function, *arguments)


@pytest.mark.parametrize("name", sorted(DATA_DEPENDENT_FUNCTIONS))
def test_these_need_a_size(name):
    function = getattr(jnp, name, None)
    if function is None:
        pytest.skip(f"this JAX has no {name}")
    v = jnp.arange(3.0)
    assert not any(_passes(function, *arguments) for arguments in ((v,), (v, v), (v > 1, v)))


def test_shape_parameters_name_functions_that_exist():
    for dotted in SHAPE_PARAMETERS:
        value = jax
        for part in dotted.split(".")[1:]:
            value = getattr(value, part)


@pytest.mark.parametrize(
    ("expression", "is_weak"),
    [
        ("jnp.zeros(3)", False),
        ("jnp.full((3,), 0.0)", True),
        ("jnp.asarray(1.0)", True),
        ("jnp.array(1.0)", True),
        ("jnp.asarray([1.0])", False),
        ("jnp.float32(1)", False),
        ("jnp.sin(1.0)", True),
        ("jnp.maximum(1.0, 2.0)", True),
        ("jnp.maximum(1.0, jnp.float32(2))", False),
        ("jnp.sum(jnp.ones(3))", False),
        ("jnp.ones(3) * 2.0", False),
        ("jnp.asarray(1.0) * 2.0", True),
    ],
)
def test_weak_types_are_what_the_analysis_says(expression, is_weak):
    from stagelight.lint.interpreter import EXPRESSIONS, STATEMENTS
    from stagelight.lint.machine import Machine
    from stagelight.lint.program import Program
    from stagelight.lint.scope import Scope
    from stagelight.lint.source_module import SourceModule
    from stagelight.lint.tracing_context import Context

    source = SourceModule(name="m", path="m.py", text=f"import jax.numpy as jnp\nx = {expression}\n")
    program = Program(lambda name: None)
    index = program.add(source)
    machine = Machine(program, index, rules={}, expressions=EXPRESSIONS, statements=STATEMENTS)
    value = machine.evaluate(index.tree.body[1].value, Scope(), Context(module=index))
    assert value.strength == ("weak" if is_weak else "strong")
    assert jnp.asarray(eval(expression)).weak_type is is_weak


def _one(x):
    TRACED.append(1)
    return x * 2


class _Holder:
    def method(self, x):
        return _one(x)


TRACED = []
HOLDER = _Holder()
OPERANDS = {
    "lambda": lambda: lambda x: _one(x),
    "partial": lambda: functools.partial(_one),
    "vmap": lambda: jax.vmap(_one),
    "filter_vmap": lambda: equinox.filter_vmap(_one),
    "bound method": lambda: HOLDER.method,
}


@pytest.mark.parametrize(
    ("name", "fresh"),
    [
        ("jax.jit", {"lambda", "partial", "vmap", "bound method"}),
        ("jax.pmap", {"lambda", "partial", "vmap"}),
        ("equinox.filter_jit", {"lambda", "partial", "vmap"}),
    ],
)
def test_which_operands_are_traced_again_each_time(name, fresh):
    jit = {"jax.jit": jax.jit, "jax.pmap": jax.pmap, "equinox.filter_jit": equinox.filter_jit}[name]
    again = set()
    for kind, operand in OPERANDS.items():
        if kind == "filter_vmap" and not name.startswith("equinox"):
            continue
        TRACED.clear()
        for _ in range(3):
            jit(operand())(jnp.ones((1, 3)))
        if len(TRACED) > 1:
            again.add(kind)
    # The rules report these; what a version of JAX traces again beyond them is passed over.
    assert fresh <= again
