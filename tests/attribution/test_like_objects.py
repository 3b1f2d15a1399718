"""Objects that are told apart by identity are held against the one they are like."""

import functools

import jax
import jax.numpy as jnp

import stagelight


class Config:
    def __init__(self, width):
        self.width = width


def test_a_new_object_is_held_against_its_like_and_not_against_the_latest():
    @functools.partial(jax.jit, static_argnums=1)
    def widen(x, config):
        return x * config.width

    x, kept = jnp.ones(3), []
    with stagelight.watch() as ledger:
        for width in (1, 2, 1, 2):
            kept.append(Config(width))
            widen(x, kept[-1])
    misses = [m for m in stagelight.why(ledger).misses if m.function.name == "widen" and m.ledger == "trace"]
    slugs = [[cause.slug for cause in miss.causes] for miss in misses]
    assert slugs == [
        ["first-trace"], ["static-value-changed"], ["static-object-recreated"], ["static-object-recreated"],
    ]  # fmt: skip
