"""The slug of a failure follows from the error's type, its text, and the syntax of the expression."""

import ast

import pytest

from stagelight.adapters.failure_slug import FAILURES, slug_of_failure


def expression(text):
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("error", "message", "text", "slug"),
    [
        ("TracerBoolConversionError", "", "x > 0", "traced-condition"),
        ("TracerBoolConversionError", "", "jnp.all(x > 0)", "traced-condition"),
        ("TracerBoolConversionError", "", "all(x)", "traced-bool-op"),
        ("TracerBoolConversionError", "", "rows.index(x)", "traced-bool-op"),
        ("TracerBoolConversionError", "", "not x", "traced-bool-op"),
        ("TracerBoolConversionError", "", "bool(x)", "traced-concretize"),
        ("ConcretizationTypeError", "", "math.sqrt(x)", "traced-concretize"),
        ("ConcretizationTypeError", "", "jnp.arange(n)", "traced-shape-argument"),
        ("ConcretizationTypeError", "the size argument of jnp.nonzero", "find(x)", "data-dependent-shape"),
        ("TracerIntegerConversionError", "", "range(n)", "traced-index-or-range"),
        ("TracerIntegerConversionError", "", "rows[i]", "traced-index-or-range"),
        ("TypeError", "unhashable type: 'DynamicJaxprTracer'", "x in names", "traced-condition"),
        ("TypeError", "unhashable type: 'DynamicJaxprTracer'", "table[x]", "traced-index-or-range"),
        ("TypeError", "unhashable type: 'DynamicJaxprTracer'", "{x}", "traced-concretize"),
        ("TypeError", "unhashable type: 'list'", "table[[1]]", "other"),
        ("ValueError", "Incompatible shapes for broadcasting: shapes=[(2,), (3,)]", "a + b", "shape-mismatch"),
        ("KeyError", "'w'", "params['w']", "other"),
    ],
)
def test_slug(error, message, text, slug):
    assert slug_of_failure(error, message, expression(text)) == slug


def test_the_users_own_raise_is_a_rejection_whatever_it_says():
    assert slug_of_failure("ValueError", "bad shape", is_own_raise=True) == "rejected-while-tracing"


def test_an_operand_of_and_is_a_bool_op():
    whole = expression("a and b")
    assert slug_of_failure("TracerBoolConversionError", "", whole.values[0], (whole,)) == "traced-bool-op"


def test_no_expression_is_needed():
    assert slug_of_failure("TracerArrayConversionError", "") == "numpy-on-traced"
    assert slug_of_failure("Whatever", "") == "other"
    assert len(set(FAILURES)) == 16


def test_the_truth_of_a_traced_array_is_a_condition_and_that_of_numpy_is_not():
    message = "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
    test = ast.parse("x > y", mode="eval").body
    assert slug_of_failure("ValueError", message, test, is_raised_inside=True) == "traced-condition"
    assert slug_of_failure("ValueError", message, test) == "other"
