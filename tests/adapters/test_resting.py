"""While one trace runs alone, only traces are listened to; before and after it, everything is."""

import sys
import threading

import jax
import jax.numpy as jnp
import pytest
from jax._src import pjit, util

from stagelight.adapters.interception import ORIGINAL
from stagelight.model.event import Dispatched, Failed, Traced
from stagelight.recorder.watching import watch
from tests.recorder.watching import Watched

PLAIN = pjit._run_python_pjit


def hears_dispatches():
    return hasattr(pjit._run_python_pjit, ORIGINAL)


def raise_callback(session):
    number = session._tool._id
    callback = sys.monitoring.register_callback(number, sys.monitoring.events.RAISE, None)
    sys.monitoring.register_callback(number, sys.monitoring.events.RAISE, callback)
    return callback


def heard_inside(session, heard):
    """A function that notes, while it is traced, what is listened to."""

    def function(x):
        heard.append((hears_dispatches(), raise_callback(session) is not None))
        return x * 2

    return jax.jit(function)


@pytest.fixture
def alone(monkeypatch):
    """As in a program without threads of its own, whatever the tests before this one left."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)


@pytest.mark.usefixtures("alone")
def test_a_lone_trace_hears_no_dispatch_and_no_exception():
    heard = []
    with watch() as ledger:
        function = heard_inside(ledger.session, heard)
        function(jnp.ones(3))
        assert heard == [(False, False)]
        assert hears_dispatches()
        assert raise_callback(ledger.session) is not None
    assert pjit._run_python_pjit is PLAIN
    assert [d.trace > 0 for d in Watched(ledger.entries()).of(Dispatched, "function")] == [True]


def test_beside_another_thread_all_is_heard():
    heard, done = [], threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        with watch() as ledger:
            heard_inside(ledger.session, heard)(jnp.ones(3))
    finally:
        done.set()
        other.join()
    assert heard == [(True, True)]


@pytest.mark.usefixtures("alone")
def test_a_trace_that_raises_ends_the_rest():
    with watch() as ledger:
        with pytest.raises(ZeroDivisionError):
            jax.jit(lambda x: 1 / 0)(jnp.ones(3))
        assert hears_dispatches()
        assert raise_callback(ledger.session) is not None
    assert len(Watched(ledger.entries()).of(Failed)) == 1


@pytest.mark.usefixtures("alone")
def test_a_watch_that_begins_and_ends_inside_a_trace_disturbs_nothing():
    inner = []

    def function(x):
        with watch() as ledger:
            inner.append(ledger)
            jax.jit(lambda y: y + 1)(x)
        return x * 2

    with watch() as outer:
        jax.jit(function)(jnp.ones(3))
        jax.jit(lambda x: x - 1)(jnp.ones(3))
    assert pjit._run_python_pjit is PLAIN
    assert len(Watched(outer.entries()).of(Dispatched, "function")) == 1
    assert len(Watched(outer.entries()).of(Dispatched, "<lambda>")) == 1
    assert Watched(inner[0].entries()).of(Traced, "<lambda>")


@pytest.mark.usefixtures("alone")
def test_a_trace_of_another_thread_ends_the_rest():
    """A thread that was begun inside a traced function traces on its own: from then on all is heard."""
    heard = []

    def beside():
        jax.jit(lambda x: x + 1)(jnp.ones(2))

    def function(x):
        thread = threading.Thread(target=beside)
        threading.active_count = lambda: 2  # what the real one says from here on
        thread.start()
        thread.join()
        heard.append(hears_dispatches())
        return x * 2

    with watch() as ledger:
        jax.jit(function)(jnp.ones(3))
    assert heard == [True]
    assert len(Watched(ledger.entries()).of(Dispatched, "<lambda>")) == 1


def test_two_watches_rest_and_go_on_together(alone):
    heard = []
    with watch() as outer, watch() as inner:
        heard_inside(inner.session, heard)(jnp.ones(3))
        assert hears_dispatches()
    assert heard == [(False, False)]
    for ledger in (outer, inner):
        assert len(Watched(ledger.entries()).of(Dispatched, "function")) == 1


def test_watches_that_end_in_the_order_they_began_leave_jax_as_it_was():
    names = ("_run_python_pjit", "_trace_for_jit", "make_jit", "jit_evict_fn")
    before = [getattr(pjit, name) for name in names]
    heard, cleared = util.test_event_listener, type(jax.jit(abs)).clear_cache
    first, second = watch(), watch()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert [getattr(pjit, name) for name in names] == before
    assert (util.test_event_listener, type(jax.jit(abs)).clear_cache) == (heard, cleared)
