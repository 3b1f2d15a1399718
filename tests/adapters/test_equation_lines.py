"""Which lines made the equations of a jaxpr (``jax/_src/source_info_util.py: SourceInfo``)."""

import collections

import jax
import jax.numpy as jnp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

from stagelight.adapters import equation_lines
from stagelight.adapters.equation_lines import EquationLines
from stagelight.adapters.equations import inner_jaxpr

OPERATIONS = (lax.sin, lax.cos, lambda x: lax.mul(x, x), lambda x: lax.add(lax.neg(x), x))
LOOPS = st.lists(st.tuples(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.integers(1, 12)), max_size=4)


def is_own(file):
    return file == __file__


def traced(function):
    return jax.jit(function).trace(jnp.ones(3)).jaxpr


def apply(which, x):
    return OPERATIONS[which](x)


def repeated(times, operation):
    def program(x):
        x = lax.cos(x)
        for _ in range(times):
            x = lax.neg(operation(x))
        return lax.cos(x)

    return traced(program)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(LOOPS)
def test_equations_are_grouped_as_a_plain_count_groups_them(loops):
    def program(x):
        for operations, times in loops:
            for _ in range(times):
                for which in operations:
                    x = apply(which, x)
        return x

    found = inner_jaxpr(traced(program)).eqns
    plain = collections.Counter((e.source_info.traceback, e.primitive.name) for e in found)
    assert {(a.traceback, a.name): a.times for a in equation_lines._alike(found)} == plain


@pytest.mark.parametrize("times", [7, 8, 9, 40])
def test_a_line_counts_from_the_asked_for_repetitions_on(times):
    lines = EquationLines(repeated(times, lax.sin), is_own, 8).repeated
    assert [(r, equations) for _, _, r, equations in lines] == ([] if times < 8 else [(times, 2 * times)])


def test_another_trace_with_the_same_lines_is_known():
    made = ((9, lax.sin), (9, lax.sin), (10, lax.sin), (9, lax.tan))
    first, again, longer, another = (repeated(times, operation) for times, operation in made)
    lines = EquationLines(first, is_own, 8)
    assert lines.are_those_of(again)
    assert not lines.are_those_of(longer)
    assert not lines.are_those_of(another)


def test_the_same_primitives_from_another_line_are_not_the_same():
    def program(other_line):
        def run(x):
            for _ in range(9):
                x = lax.sin(x) if not other_line else x
                x = lax.sin(x) if other_line else x
            return x

        return traced(run)

    first, again, another = (program(other_line=other) for other in (False, False, True))
    lines = EquationLines(first, is_own, 8)
    assert lines.are_those_of(again)
    assert not lines.are_those_of(another)


def test_a_line_told_for_many_places_of_a_library_is_compared_at_each():
    library = {"sin": lax.sin}
    exec(compile("def four(x):\n" + "    x = sin(x)\n" * 4 + "    return x\n", "library.py", "exec"), library)
    four = library["four"]

    def program(other_line):
        def run(x):
            x = x if other_line else four(x)
            return four(x) if other_line else x

        return traced(run)

    first, again, another = (program(other_line=other) for other in (False, False, True))
    lines = EquationLines(first, is_own, 4)
    assert [repetitions for _, _, repetitions, _ in lines.repeated] == [4]
    assert lines.are_those_of(again)
    assert not lines.are_those_of(another)


def test_a_cond_under_vmap_is_found():
    def program(x):
        return jax.vmap(lambda v: lax.cond(v > 0, jnp.sin, jnp.cos, v))(x)

    first, again = (traced(program) for _ in range(2))
    lines = EquationLines(first, is_own, 8)
    ((code, line),) = lines.selects
    assert code.co_filename == __file__
    assert line > code.co_firstlineno - 1
    assert lines.are_those_of(again)
    assert EquationLines(traced(lambda x: jnp.where(x > 0, x, -x)), is_own, 8).selects == ()
