"""Random programs have the same jaxpr, values, gradients and batches on the machine and on JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from reference import random_programs

from stagelight.reference import Machine

MACHINE = Machine(jax.__version__)
TOLERANCE = 1e-5  # relative to one plus the size; float16 is not among these programs' results


def both(number, **options):
    program = random_programs.Program(number, random_programs.probe_on(MACHINE), **options)
    theirs = jax.make_jaxpr(lambda *a: program(jnp, jax.lax, jax.jit, *a))(*program.inputs)
    ours = MACHINE.make_jaxpr(lambda *a: program(MACHINE.numpy, MACHINE.lax, MACHINE.jit, *a))(*program.inputs)
    return theirs, ours


@pytest.mark.parametrize("first", range(0, 20, 10))
def test_jaxprs_are_the_same_after_renaming_variables(first):
    for number in range(first, first + 10):
        theirs, ours = both(number)
        assert random_programs.differences(theirs, ours.jaxpr) == [], number


def test_the_comparison_of_jaxprs_sees_a_difference():
    x = np.ones(3, np.float32)
    theirs = jax.make_jaxpr(lambda x: jnp.sum(jnp.sin(x), axis=0))(x)
    for other in (lambda x: MACHINE.numpy.cos(x), lambda x: MACHINE.numpy.sum(MACHINE.numpy.sin(x), keepdims=True)):
        assert random_programs.differences(theirs, MACHINE.make_jaxpr(other)(x).jaxpr)


def test_jaxprs_print_as_jax_prints_them():
    printed = 0
    for number in (8, 29, 37, *range(40, 52)):  # the first three have lines that just fit, or just do not
        theirs, ours = both(number, length=5)
        text = str(theirs)
        if "scan[" not in text and not text.startswith("let "):  # these JAX prints with parts of its own
            printed += 1
            assert str(ours) == text
    assert printed > 8


@pytest.mark.parametrize("number", [3])
def test_values_gradients_and_batches_are_the_same(number):
    for what, theirs, ours in random_programs.value_pairs(number, MACHINE):
        for a, b in zip(theirs, ours, strict=True):
            a, b = np.asarray(a), np.asarray(b)
            assert random_programs.distance(a, b) <= (1e-2 if a.dtype == np.float16 else TOLERANCE), what


INDICES = {
    "weak": (1, lambda x, i: x[i]),
    "narrow": (np.uint8(1), lambda x, i: x[i]),
    "one axis": (np.int8(1), lambda x, i: x[:, i]),
    "beside a number": (np.int16(1), lambda x, i: x[0, i]),
    "beyond the end": (1, lambda x, i: x[12, i]),
}


@pytest.mark.parametrize("name", INDICES)
def test_a_traced_index_is_converted_before_it_is_wrapped(name):
    index, take = INDICES[name]
    x = np.ones((10, 3), np.float32)
    assert random_programs.differences(jax.make_jaxpr(take)(x, index), MACHINE.make_jaxpr(take)(x, index).jaxpr) == []
