"""A watch that begins late knows what was warm, and counts only what it saw."""

import jax
import jax.numpy as jnp

import stagelight
from stagelight.model.event import Before, Traced


def _own(misses, ledger):
    return [(c.slug, c.path) for m in misses if m.function.own and m.ledger == ledger for c in m.causes]


def test_a_function_that_was_warm_is_not_called_new():
    double = jax.jit(lambda x: x * 2)
    double(jnp.ones(3))
    with stagelight.watch() as ledger:
        double(jnp.ones(4))
    found = stagelight.why(ledger)
    assert _own(found.misses, "trace") == [("shape-changed", "x")]
    (total,) = [t for t in found.totals if t.function.own]
    assert (total.traces, total.compiles) == (1, 1)


def test_a_new_place_of_a_warm_call_is_a_compile_with_its_cause():
    double = jax.jit(lambda x: x * 2)
    double(jnp.ones(3))
    committed = jax.device_put(jnp.ones(3), jax.devices()[0])
    with stagelight.watch() as ledger:
        double(committed)
    found = stagelight.why(ledger)
    assert _own(found.misses, "trace") == []
    assert _own(found.misses, "compile") == [("committed-changed", "x")]


def test_what_was_warm_and_cleared_is_known_as_cleared():
    double = jax.jit(lambda x: x * 2)
    double(jnp.ones(3))
    with stagelight.watch() as ledger:
        jax.clear_caches()
        double(jnp.ones(3))
    assert _own(stagelight.why(ledger).misses, "trace") == [("cache-cleared", "jax.clear_caches()")]


def test_only_what_is_seen_again_is_written():
    double, triple = jax.jit(lambda x: x * 2), jax.jit(lambda x: x * 3)
    double(jnp.ones(3))
    triple(jnp.ones(3))
    with stagelight.watch() as ledger:
        triple(jnp.ones(4))
    entries = entries_of(ledger)
    before = [e.entry for e in entries if isinstance(e, Before) and isinstance(e.entry, Traced)]
    seen = [e for e in entries if isinstance(e, Traced)]
    own = {e.function for e in seen if e.avals and e.avals[0].shape == (4,)}
    assert {e.function for e in before} <= own
    assert before
    assert all(e.trace_s == 0.0 for e in before)


def entries_of(ledger):
    from stagelight.recorder.ledger_file import ledgers_from

    return list(ledgers_from([str(ledger.session.path)])[0].entries())


def test_a_context_is_named_once_it_is_the_current_one():
    double = jax.jit(lambda x: x * 2)
    double(jnp.ones(3))
    with jax.default_matmul_precision("float32"):
        double(jnp.ones(3))
    with stagelight.watch() as ledger:
        with jax.default_matmul_precision("float32"):
            double(jnp.ones(4))
        with jax.default_matmul_precision("bfloat16"):
            double(jnp.ones(4))
    told = _own(stagelight.why(ledger).misses, "trace")
    assert told == [("shape-changed", "x"), ("context-changed", "jax_default_matmul_precision")]
