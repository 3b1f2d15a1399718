"""Every pair of dtypes promotes as in JAX, weak or not, with and without x64, standard and strict."""

import itertools

import jax
import numpy as np
import pytest

from stagelight.reference import Machine
from stagelight.reference.aval import Aval, promoted
from stagelight.reference.staging_error import StagingValueError

NAMES = (
    "bool",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
)
SCALARS = {"int": (int, "int64"), "float": (float, "float64")}
MACHINE = Machine(jax.__version__)


def in_jax(a, b):
    try:
        found = jax.numpy.promote_types(SCALARS.get(a, (a,))[0], SCALARS.get(b, (b,))[0])
        return str(jax.dtypes.canonicalize_dtype(found))  # of two Python scalars JAX names the widest
    except ValueError:
        return "refused"


def on_the_machine(a, b):
    def aval(name):
        return Aval((), np.dtype(SCALARS[name][1] if name in SCALARS else name), name in SCALARS)

    try:
        return str(promoted(aval(a), aval(b))[0])
    except StagingValueError:
        return "refused"


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("mode", ["standard", "strict"])
def test_every_pair_of_dtypes_promotes_as_in_jax(x64, mode):
    before = jax.config.jax_enable_x64, jax.config.jax_numpy_dtype_promotion
    jax.config.update("jax_enable_x64", x64)
    jax.config.update("jax_numpy_dtype_promotion", mode)
    try:
        with MACHINE.settings(enable_x64=x64, numpy_dtype_promotion=mode):
            for a, b in itertools.product([*NAMES, *SCALARS], repeat=2):
                if not x64 and (("64" in a) or ("64" in b)):
                    continue  # such a value does not exist there
                assert on_the_machine(a, b) == in_jax(a, b), (a, b)
    finally:
        jax.config.update("jax_enable_x64", before[0])
        jax.config.update("jax_numpy_dtype_promotion", before[1])
