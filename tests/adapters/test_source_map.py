"""Equations know their lines and columns: pinned on ``jax/_src/source_info_util.py: user_frames``."""

import jax
import jax.numpy as jnp

from stagelight.adapters.source_map import placed_equations


def looped(x, n):
    filled = jnp.full((n,), x)
    return jax.lax.fori_loop(0, 5, lambda i, carry: carry * filled, filled)


EQUATIONS = list(placed_equations(jax.jit(looped, static_argnums=1).trace(2.0, 3).jaxpr))


def named(primitive):
    return next(e for e in EQUATIONS if e.primitive == primitive)


def test_the_innermost_frame_is_the_users_expression():
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    frame = named("mul").frames[0]
    assert frame.file == __file__
    assert lines[frame.line - 1][frame.column : frame.end_column] == "carry * filled"


def test_equations_of_loop_bodies_are_one_deeper():
    assert (named("broadcast_in_dim").depth, named("mul").depth) == (0, 1)


def test_static_sizes_and_literals_are_read():
    made = named("broadcast_in_dim")
    assert ("shape", "(3,)") in made.parameters
    assert made.outputs == ("f32[3]",)
    assert ("length", "5") in named("scan").parameters
    assert named("add").literals == ("1",)


def test_parameters_with_an_equality_of_their_own_are_not_compared():
    @jax.custom_jvp
    def same(x):
        return x

    same.defjvp(lambda p, t: (p[0], t[0]))
    assert [e.primitive for e in placed_equations(jax.jit(same).trace(1.0).jaxpr)] == ["custom_jvp_call"]
