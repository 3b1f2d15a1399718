"""Each failing program is mapped to its exact sub-expression and to the arguments that it flows from."""

import ast

import pytest
from failing_programs import failing_programs, module_of

from stagelight.staging.explaining import explain

PROGRAMS = failing_programs()


def explanation_of(program):
    names = vars(module_of(program))
    call = ast.parse(program.call, mode="eval").body
    function, *arguments = (eval(ast.unparse(part), names) for part in (call.func, *call.args))
    return explain(function)(*arguments)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_the_exact_expression_and_its_arguments_are_named(program):
    found = explanation_of(program).failure
    assert found.failure.slug == program.slug
    assert (found.failure.site.line, found.failure.expression) == (program.line, program.expression)
    assert set(found.failure.arguments) == set(program.arguments)
    assert found.span.line == program.line
    assert found.ways_out or program.slug in {"rejected-while-tracing", "other"}


def test_operands_have_their_avals():
    (program,) = [p for p in PROGRAMS if p.name == "shape_mismatch:add_lengths"]
    assert explanation_of(program).failure.operands == (("doubled", "f32[3]"), ("b", "f32[4]"))


def test_an_unhashable_static_argument_of_the_explained_call_is_named():
    import functools

    import jax

    @functools.partial(jax.jit, static_argnames="sizes")
    def resize(x, sizes):
        return x

    found = explain(resize)(1.0, [1, 2]).failure.failure
    assert (found.slug, found.expression, found.arguments) == ("unhashable-static-argument", "sizes", ("sizes",))
