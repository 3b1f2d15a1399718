"""Each known difference between JAX versions is a named rule, held by a test on both sides of its version."""

import jax
import pytest

from stagelight.reference import VERSION_RULES, Machine
from stagelight.reference.jaxpr import inner_jaxprs

SINCE = {rule.slug: rule.since for rule in VERSION_RULES}


def before_and_since(slug):
    major, minor = SINCE[slug]
    return Machine(f"{major}.{minor - 1}.0"), Machine(f"{major}.{minor}.0")


def primitives(machine, function, *args):
    jaxpr = machine.make_jaxpr(function)(*args).jaxpr
    return [equation.primitive.name for equation in jaxpr.equations]


class EqualOtherHash:
    made = 0

    def __init__(self):
        EqualOtherHash.made += 1
        self.number = EqualOtherHash.made

    def __eq__(self, other):
        return isinstance(other, EqualOtherHash)

    def __hash__(self):
        return self.number


def two_equal_statics(machine):
    staged = machine.jit(lambda x, c: x, static_argnums=1)
    for _ in range(2):
        staged(1.0, EqualOtherHash())
    return staged.trace_count


def two_declarations(machine):
    def f(x, n=0):
        return x

    plain, declared = machine.jit(f), machine.jit(f, static_argnums=1)
    plain(1.0)
    declared(1.0)
    return plain.trace_count + declared.trace_count


def negative_number(machine):
    return machine.jit(lambda x, n=0: x, static_argnums=-1).static.numbers


def reduce_max_params(machine):
    jaxpr = machine.make_jaxpr(lambda x: x.max())(machine.numpy.ones(3)).jaxpr
    return sorted(jaxpr.equations[0].params)


SEEN = {
    "stack-is-a-primitive": (
        lambda m: primitives(m, lambda x: m.numpy.stack([x, x]), m.numpy.ones(3)),
        ["broadcast_in_dim", "broadcast_in_dim", "concatenate"],
        ["stack"],
    ),
    "arange-is-staged": (lambda m: primitives(m, lambda: m.numpy.arange(0, 6, 2)), [], ["iota", "mul", "add"]),
    "static-hash-is-compared": (two_equal_statics, 1, 2),
    "declarations-are-not-compared": (two_declarations, 2, 1),
    "reduce-max-has-a-sharding": (reduce_max_params, ["axes"], ["axes", "out_sharding"]),
    "unstack-is-a-primitive": (
        lambda m: primitives(m, lambda x: list(x), m.numpy.ones(2)),
        ["slice", "squeeze", "slice", "squeeze"],
        ["unstack"],
    ),
    "negative-number-counts-parameters": (negative_number, (-1,), (1,)),
}


def test_every_rule_has_a_test():
    assert set(SEEN) == set(SINCE)


@pytest.mark.parametrize("slug", SEEN)
def test_a_rule_changes_what_the_machine_does_at_its_version(slug):
    seen, before, since = SEEN[slug]
    older, newer = before_and_since(slug)
    assert seen(older) == before
    assert seen(newer) == since


def test_the_installed_jax_is_on_the_side_the_rules_say():
    import jax.numpy as jnp

    version = tuple(map(int, jax.__version__.split(".")[:2]))
    stacked = jax.make_jaxpr(lambda x: jnp.stack([x, x]))(jnp.ones(3))
    assert ("stack" in str(stacked)) == (version >= SINCE["stack-is-a-primitive"])
    runs = []

    def f(x, c=None):
        runs.append(c)

    staged = jax.jit(f, static_argnums=1)
    for _ in range(2):
        staged.trace(1.0, EqualOtherHash())
    assert len(runs) == (2 if version >= SINCE["static-hash-is-compared"] else 1)


def test_inner_jaxprs_are_found_in_parameters():
    machine = Machine()
    outer = machine.make_jaxpr(lambda x: machine.lax.cond(x > 0, lambda y: y, lambda y: -y, x))(1.0).jaxpr
    assert [len(inner_jaxprs(equation.params)) for equation in outer.equations] == [0, 0, 2]
