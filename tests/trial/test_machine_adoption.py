"""Functions written for JAX run on the machine unchanged; what of JAX it does not model is refused by name."""

import functools

import numpy as np
import pytest

from stagelight.reference import Machine
from stagelight.trial.machine_adoption import adopted

jax = pytest.importorskip("jax")
jnp = jax.numpy

W = jnp.arange(3.0)
PARAMETERS = {"layers": [W, (W, 2.0)]}
sin, jit, relu = jnp.sin, jax.jit, jax.nn.relu


@jax.jit
def doubled(x):
    return x * 2


def power(x, n):
    return x if n == 0 else x * power(x, n - 1)


def loss(w, x):
    return jnp.mean(jnp.where(x @ w > 0, 1.0, 0.0)) + jax.lax.fori_loop(0, 2, lambda i, s: s + w.sum(), 0.0)


def with_helpers(x):
    def scaled(y):
        return y * PARAMETERS["layers"][1][0].sum()

    return jit(scaled)(doubled(sin(x))) + power(W, 2).sum() + W.sum()


PROGRAMS = {"loss": (loss, (np.ones(3, np.float32), np.ones((2, 3), np.float32))), "helpers": (with_helpers, (1.0,))}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_function_written_for_jax_has_the_same_jaxpr_and_value_on_the_machine(name):
    function, args = PROGRAMS[name]
    machine = Machine(jax.__version__)
    ours = adopted(machine, function)
    assert np.allclose(np.asarray(machine.jit(ours)(*args)), jax.jit(function)(*args))
    theirs = jax.make_jaxpr(function)(*args)
    assert [e.primitive.name for e in machine.make_jaxpr(ours)(*args).jaxpr.equations] == [
        e.primitive.name for e in theirs.eqns
    ]


class Model:
    def __init__(self):
        self.w = W

    @functools.partial(jax.jit, static_argnums=0)
    def forward(self, x):
        return (x * self.w).sum()

    def __call__(self, x):
        return x


@pytest.mark.parametrize(
    "call", [Model().forward, functools.partial(jax.jit(lambda x, n: x * n, static_argnums=1), n=3)]
)
def test_methods_and_partials_of_jitted_functions_are_adopted(call):
    machine = Machine(jax.__version__)
    told = machine.explain_trace(machine.jit(adopted(machine, call)), jax.ShapeDtypeStruct((3,), jnp.float32))
    assert (told.outcome, told.error) == ("traced", "")
    assert "jit[" in told.jaxpr


@pytest.mark.parametrize(
    ("call", "what"),
    [(Model(), "a callable"), (jax.vmap(lambda x: x), "a transformation of JAX"), (jax.nn.relu, "relu")],
)
def test_other_callables_are_refused_by_name(call, what):
    machine = Machine(jax.__version__)
    told = machine.explain_trace(machine.jit(adopted(machine, call)), 1.0)
    assert told.outcome == "refused"
    assert what in told.error


def test_what_uses_nothing_of_jax_is_the_function_itself():
    function = lambda x: np.float32(2) * x
    assert adopted(Machine(), function) is function


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda x: relu(x), "relu"),
        (lambda x: jax.nn.gelu(x), "jax.nn"),
        (lambda x: jnp.fft.fft(x), "jax.numpy.fft"),
        (lambda x: jax.random.normal(x), "jax.random"),
    ],
)
def test_what_is_not_modelled_is_refused_by_name(function, what):
    machine = Machine(jax.__version__)
    told = machine.explain_trace(machine.jit(adopted(machine, function)), 1.0)
    assert told.outcome == "refused"
    assert what in told.error
