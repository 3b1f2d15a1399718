"""Pins ``jax/_src/core.py``, ``jax/_src/lax/control_flow`` and ``jax/_src/source_info_util.py``, read of equations."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax

from stagelight.adapters.symbolic_calls import called_jaxpr, linear_solve, scan_operand_counts
from stagelight.adapters.symbolic_context import is_tracer, trace_context
from stagelight.adapters.symbolic_equations import (
    JaxprParts,
    bind,
    equation_has_symbolic_dimension,
    inner_jaxprs,
    is_literal,
    live_equations,
    primitive_names,
)
from stagelight.adapters.symbolic_registry import primitive, registered_primitives
from stagelight.adapters.symbolic_source import source_line


def jaxpr_of(function, *shapes):
    scope = export.SymbolicScope(["b >= 2"])
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), np.float32) for shape in shapes]
    return jax.make_jaxpr(function)(*specs)


def test_parts_of_a_jaxpr():
    parts = JaxprParts(jaxpr_of(lambda x: x * 2.0 + np.ones(3, np.float32), "b, 3"))
    assert (len(parts.captured), len(parts.inputs), len(parts.outputs)) == (1, 1, 1)
    assert any(is_literal(atom) for equation in parts.equations for atom in equation.invars)


def test_where_a_symbolic_dimension_occurs():
    (ragged, fixed) = JaxprParts(jaxpr_of(lambda x, y: (jnp.sin(x), jnp.sin(y)), "b", "3")).equations
    assert equation_has_symbolic_dimension(ragged)
    assert not equation_has_symbolic_dimension(fixed)


def test_equations_that_nothing_reads_are_left_out():
    def function(x):
        jnp.cos(jnp.sin(x))
        jax.debug.print("kept for its effect")
        return jnp.exp(jnp.tanh(x))

    jaxpr = jaxpr_of(function, "b, 3")
    assert {equation.primitive.name for equation in JaxprParts(jaxpr).equations} >= {"sin", "cos"}
    with_effect, *others = live_equations(jaxpr)
    assert with_effect.effects
    assert [equation.primitive.name for equation in others] == ["tanh", "exp"]


def test_an_equation_runs_on_other_arrays():
    (equation,) = JaxprParts(jaxpr_of(lambda x: lax.reduce_sum(x, (0,)), "b, 3")).equations
    np.testing.assert_array_equal(bind(equation, [jnp.ones((4, 3))])[0], [4, 4, 4])


def test_operands_of_a_scan():
    (equation,) = JaxprParts(jaxpr_of(lambda x: lax.scan(lambda c, r: (c + r, c * x.sum()), 0.0, x), "b")).equations[
        -1:
    ]
    constants, carried = scan_operand_counts(equation.params)
    assert carried == 1
    assert constants + carried + 1 == len(equation.invars)


def test_the_jaxpr_of_a_call():
    (equation,) = JaxprParts(jaxpr_of(lambda x: jax.jit(jnp.sin)(x), "b")).equations
    assert primitive_names(called_jaxpr(equation)) == {"sin"}
    assert len(list(inner_jaxprs(equation))) == 1


def test_the_operands_of_a_linear_solve():
    def solved(x):
        return lax.custom_linear_solve(lambda v: v * x.sum(), x, lambda _, y: y / x.sum())

    equation = JaxprParts(jaxpr_of(solved, "b")).equations[-1]
    jaxpr, operands = linear_solve(equation, equation.invars)
    assert len(JaxprParts(jaxpr).inputs) == len(operands)
    assert "div" in primitive_names(jaxpr)


def test_the_users_line():
    (equation,) = JaxprParts(jaxpr_of(lambda x: jnp.sin(x), "b")).equations
    line = source_line(equation)
    assert (line.file, line.line > 0) == (__file__, True)


def test_the_trace_context_follows_the_configuration():
    before = trace_context()
    with jax.default_matmul_precision("float32"):
        assert trace_context() != before
    assert trace_context() == before


def test_a_tracer_is_told_from_an_array():
    seen = []
    jax.make_jaxpr(lambda x: seen.append(is_tracer(x)))(1.0)
    assert seen == [True]
    assert not is_tracer(jnp.ones(()))


def test_the_registry_knows_primitives_of_all_kinds():
    assert {"add", "scan", "psum", "geqrf", "random_bits"} <= registered_primitives()
    assert primitive("geqrf").name == "geqrf"
