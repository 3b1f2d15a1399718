"""The same mistakes raise errors of the same family, and of JAX's names, on the machine as on JAX."""

import jax
import jax.numpy
import numpy as np
import pytest

from stagelight.errors import StagelightError
from stagelight.reference import Machine, NotModelledError

MACHINE = Machine(jax.__version__)
X = np.ones(3, np.float32)


def leaked(j):
    kept = []
    j.jit(lambda x: kept.append(x))(X)
    j.jit(lambda y: y + kept[0])(X)


class Slots:
    __slots__ = ()

    def __call__(self, x):
        return x


MISTAKES = {
    "truth": lambda j: j.jit(lambda x: 1 if x > 0 else 2)(1.0),
    "int": lambda j: j.jit(lambda x: int(x))(1.0),
    "index": lambda j: j.jit(lambda x: [1, 2][x])(1),
    "range": lambda j: j.jit(lambda x: list(range(x)))(1),
    "numpy": lambda j: j.jit(lambda x: np.sin(x))(1.0),
    "shape": lambda j: j.jit(lambda n, x: j.numpy.full((n,), x))(3, 2.0),
    "arange": lambda j: j.jit(lambda n: j.numpy.arange(n))(3),
    "mask": lambda j: j.jit(lambda x: x[x > 0])(X),
    "item assignment": lambda j: j.jit(lambda x: x.__setitem__(0, 1.0))(X),
    "unhashable static": lambda j: j.jit(lambda x, n: x, static_argnums=1)(X, [1]),
    "leak": leaked,
    "text argument": lambda j: j.jit(lambda x: x)("a"),
    "text result": lambda j: j.jit(lambda x: "a")(X),
    "overflow": lambda j: j.jit(lambda x: x)(2**40),
    "unsortable keys": lambda j: j.jit(lambda d: d)({1: 1.0, "a": 1.0}),
    "unknown static name": lambda j: j.jit(lambda x: x, static_argnames="y"),
    "static number too large": lambda j: j.jit(lambda x: x, static_argnums=3),
    "not callable": lambda j: j.jit(3),
    "too many arguments": lambda j: j.jit(lambda x: x)(X, X),
    "branches of two structures": lambda j: j.lax.cond(True, lambda z: z, lambda z: (z, z), 1.0),
    "branches of two types": lambda j: j.lax.cond(True, lambda z: z, lambda z: j.numpy.int32(1), 1.0),
    "carry changes shape": lambda j: j.lax.fori_loop(0, 3, lambda i, c: c + X, 1.0),
    "carry changes structure": lambda j: j.lax.while_loop(lambda c: c[0] < 1.0, lambda c: (c[0],), (1.0, 1.0)),
    "carry changes dtype": lambda j: j.lax.scan(lambda c, x: (c * 1.5, None), j.numpy.int32(1), X),
    "scan without a pair": lambda j: j.lax.scan(lambda c, x: c, 1.0, X),
    "shapes": lambda j: j.numpy.ones(3) + j.numpy.ones(4),
    "row of nothing": lambda j: j.numpy.ones((0, 3))[0],
    "dot of a wide weak number": lambda j: j.numpy.dot(1, j.numpy.ones(3, np.int8)),
    "dot": lambda j: j.numpy.dot(j.numpy.ones(3), j.numpy.ones(4)),
    "reshape": lambda j: j.numpy.ones(3).reshape(2, 2),
    "stack": lambda j: j.numpy.stack([j.numpy.ones(3), j.numpy.ones(4)]),
    "gradient of an integer": lambda j: j.grad(lambda x: x * 2)(1),
    "gradient of a vector": lambda j: j.grad(lambda x: x * 2)(X),
    "gradient of while": lambda j: j.grad(lambda x: j.lax.while_loop(lambda c: c < 10, lambda c: c * 2, x))(1.0),
    "vmap of a scalar": lambda j: j.vmap(lambda x: x)(1.0),
    "vmap of two sizes": lambda j: j.vmap(lambda x, y: x)(X, np.ones(4, np.float32)),
    "truth under vmap": lambda j: j.vmap(lambda x: 1 if x > 0 else 2)(X),
    "bool minus bool": lambda j: j.numpy.subtract(np.ones(2, bool), np.ones(2, bool)),
}


def raised(mistake, namespace):
    with pytest.raises(Exception) as caught:  # noqa: PT011  (which one is compared below)
        mistake(namespace)
    return caught.value


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_raises_what_jax_raises(name):
    theirs, ours = raised(MISTAKES[name], jax), raised(MISTAKES[name], MACHINE.jax)
    families = (OverflowError, IndexError, ValueError, TypeError)
    assert [isinstance(ours, f) for f in families] == [isinstance(theirs, f) for f in families]
    if type(theirs).__module__.startswith("jax"):
        assert type(ours).__name__ == type(theirs).__name__
    assert isinstance(ours, StagelightError) or type(ours) is type(theirs)


def test_a_gradient_may_branch_on_a_value():
    def f(j):
        return float(j.grad(lambda x: x * x if x > 0 else x)(2.0))

    assert f(MACHINE.jax) == f(jax) == 4.0


@pytest.mark.parametrize(
    ("what", "refused"),
    {
        "jax.numpy.linalg": lambda: MACHINE.numpy.linalg,
        "jax.lax.conv": lambda: MACHINE.lax.conv,
        "jax.pmap": lambda: MACHINE.jax.pmap,
        "complex numbers": lambda: MACHINE.jit(lambda x: x)(1j),
        "bfloat16": lambda: MACHINE.jit(lambda x: x)(jax.numpy.ones(2, jax.numpy.bfloat16)),
        "the array attribute 'at'": lambda: MACHINE.numpy.ones(2).at,
        "the derivative of 'place'": lambda: MACHINE.grad(lambda x: MACHINE.grad(lambda y: y[0] ** 3)(x)[0])(X),
        "the setting 'check_vma'": lambda: MACHINE.settings(check_vma=True).__enter__(),
        "indexing by list": lambda: MACHINE.numpy.ones(3)[[0, 1]],
    }.items(),
)
def test_what_is_not_modelled_is_refused_by_name(what, refused):
    with pytest.raises(NotModelledError, match="does not model") as caught:
        refused()
    assert what in str(caught.value)
