"""Pinned: ``PjitInfo`` in ``jax/_src/pjit.py``, as ``_jit_info`` of what ``jax.jit`` returns."""

import pytest

from stagelight.adapters.jit_declaration import jit_declaration

jax = pytest.importorskip("jax")


def f(x, n, m=0):
    return x


def test_static_arguments_are_told_by_number_and_name():
    assert jit_declaration(jax.jit(f, static_argnums=1)) == (f, (1,), ("n",))
    assert jit_declaration(jax.jit(f, static_argnames="m")) == (f, (2,), ("m",))
    assert jit_declaration(jax.jit(f)) == (f, (), ())


def test_what_is_not_jitted_has_no_declaration():
    assert jit_declaration(f) is None
    assert jit_declaration(jax.vmap(jax.jit(f))) is None
