"""Watches that overlap, end late, are entered twice, or are left behind by a fork."""

import os
import sys
import threading

import jax
import jax.numpy as jnp
import pytest

import stagelight
from stagelight.errors import UsageError
from stagelight.model.event import StructureSeen, Traced


def in_a_child(work):
    """Fork, run in the child, end as Python ends, and wait for it."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.waitpid(child, 0)


def test_watches_that_end_in_the_order_they_began_leave_jax_as_it_was():
    before = jax.jit(lambda x: x).clear_cache, jax.make_jaxpr
    first, second = stagelight.watch(), stagelight.watch()
    first_ledger = first.__enter__()
    second_ledger = second.__enter__()
    first.__exit__(None, None, None)
    jax.jit(lambda x: x + 1)(jnp.ones(3))
    second.__exit__(None, None, None)
    with stagelight.watch() as third:
        pass
    jax.jit(lambda x: x + 2)(jnp.ones(3))
    assert [e for e in first_ledger.entries() if isinstance(e, Traced)] == []
    assert [e for e in third.entries() if isinstance(e, Traced)] == []
    assert any(isinstance(e, Traced) for e in second_ledger.entries())
    assert before[1] is jax.make_jaxpr


def test_a_watch_is_entered_once():
    watching = stagelight.watch()
    with watching:
        pass
    with pytest.raises(UsageError, match="was entered before"), watching:
        pass


def test_a_trace_that_ends_after_its_watch_is_nobodys(tmp_path):
    tracing, go_on = threading.Event(), threading.Event()

    @jax.jit
    def slow(x):
        tracing.set()
        go_on.wait(20)
        return x * 2

    thread = threading.Thread(target=slow, args=(jnp.ones(3),))
    with stagelight.watch(tmp_path / "a.jsonl"):
        thread.start()
        tracing.wait(20)
    with (tmp_path / "results.csv").open("w") as results:
        go_on.set()
        thread.join()
        results.write("a,b")
    assert (tmp_path / "results.csv").read_text() == "a,b"


def test_a_forked_child_reads_what_was_held_and_removes_nothing(tmp_path):
    with stagelight.watch() as ledger:
        jax.jit(lambda x: x + 1)(jnp.ones(3))

        def work():
            (tmp_path / "seen").write_text(str(sum(isinstance(e, Traced) for e in ledger.entries())))
            ledger._finalizer()

        in_a_child(work)
        jax.jit(lambda x: x + 2)(jnp.ones(3))
    assert (tmp_path / "seen").read_text() != "0"
    assert sum(isinstance(e, Traced) for e in ledger.entries()) >= 2


def test_threads_that_trace_at_once_name_each_structure_once():
    serve = jax.jit(lambda params, batch: batch["x"] @ params["w"] + params["b"])
    params = {"w": jnp.ones((3, 4)), "b": jnp.ones(4)}
    batches = [{"x": jnp.ones((rows, 3))} for rows in range(1, 9)]
    barrier = threading.Barrier(4)

    def work(number):
        barrier.wait()
        for batch in batches[number::4]:
            serve(params, batch)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(3):
            jax.clear_caches()
            with stagelight.watch() as ledger:
                threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            digests = [e.digest for e in ledger.entries() if isinstance(e, StructureSeen)]
            assert len(digests) == len(set(digests))
    finally:
        sys.setswitchinterval(interval)
