"""What is recorded of slow dispatches, lowerings and compiles, on every supported JAX."""

import numpy as np
import pytest

from stagelight.model.event import CacheCleared, Compiled, Dispatched, DispatchEnded, Lowered, Traced
from tests.recorder.watching import watched

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture
def persistent_cache(tmp_path):
    names = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs")
    before = {n: getattr(jax.config, n) for n in names}
    from jax.experimental.compilation_cache import compilation_cache

    def use(least_s):
        compilation_cache.reset_cache()
        jax.config.update("jax_compilation_cache_dir", str(tmp_path))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", least_s)

    yield use
    for name, value in before.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


def test_a_first_call_traces_lowers_and_compiles_in_one_dispatch():
    @jax.jit
    def double(x):
        return x * 2

    ones = jnp.ones(3)
    seen = watched(lambda: double(ones))
    (traced,), (dispatched,) = seen.of(Traced, "double"), seen.of(Dispatched, "double")
    (lowered,), (compiled,) = seen.of(Lowered, "double"), seen.of(Compiled, "double")
    assert dispatched.trace == lowered.trace == compiled.trace == traced.trace
    assert lowered.dispatch == compiled.dispatch == dispatched.dispatch
    (ended,) = [e for e in seen.of(DispatchEnded) if e.dispatch == dispatched.dispatch]
    assert (ended.lowered, ended.compiled, ended.failed) == (1, 1, False)


def test_a_numpy_argument_leaves_the_fast_path_and_nothing_else_happens():
    @jax.jit
    def double(x):
        return x * 2

    double(jnp.ones(3))
    host = np.ones(3, np.float32)
    seen = watched(lambda: double(host))
    (dispatched,) = seen.of(Dispatched, "double")
    assert (dispatched.trace, dispatched.placements[0].kind) == (0, "host")
    assert not seen.of(Traced)
    assert not seen.of(Compiled)


def test_a_committed_argument_compiles_again_without_a_trace():
    @jax.jit
    def double(x):
        return x * 2

    free = jnp.ones(3)
    placed = jax.device_put(free, jax.devices()[0])
    seen = watched(lambda: (double(free), double(placed)))
    assert len(seen.of(Traced, "double")) == 1
    assert [d.placements[0].committed for d in seen.of(Dispatched, "double")] == [False, True]
    assert len(seen.of(Compiled, "double")) == 2


def test_a_compile_ahead_of_time_belongs_to_its_function():
    @jax.jit
    def double(x):
        return x * 2

    ones = jnp.ones(3)
    seen = watched(lambda: double.lower(ones).compile())
    (compiled,) = seen.of(Compiled, "double")
    assert compiled.dispatch == 0
    assert seen.of(Lowered, "double")[0].under == ("lower",)


def test_the_persistent_cache_says_what_it_did(persistent_cache):
    @jax.jit
    def double(x):
        return jnp.sin(x) * 2

    ones = jnp.ones(3)
    persistent_cache(1000.0)
    not_eligible = watched(lambda: double(ones)).of(Compiled, "double")[0].persistent
    persistent_cache(0.0)
    jax.clear_caches()
    written = watched(lambda: double(ones)).of(Compiled, "double")[0].persistent
    jax.clear_caches()
    hit = watched(lambda: double(ones)).of(Compiled, "double")[0].persistent
    assert (not_eligible.outcome, written.outcome, hit.outcome) == ("not eligible", "miss, written", "hit")
    assert "compile time below 1000 s" in not_eligible.reason
    assert dict(written.components) == dict(hit.components)
    assert {"program", "jaxlib", "backend", "XLA flags", "compile options", "devices"} <= set(dict(hit.components))


def test_cleared_caches_are_told():
    @jax.jit
    def double(x):
        return x * 2

    seen = watched(lambda: (double(1.0), double.clear_cache(), jax.clear_caches()))
    one, every = seen.of(CacheCleared)
    assert (seen.functions[one.function].name, every.function) == ("double", 0)
    assert one.call.file == every.call.file == __file__


def test_a_signature_whose_trace_raised_loses_the_fast_path():
    fails = [True]

    @jax.jit
    def step(x):
        if fails.pop():
            raise ValueError("once")
        fails.append(False)
        return x

    def block():
        ones = jnp.ones(3)
        with pytest.raises(ValueError, match="once"):
            step(ones)
        fails.append(False)
        for _ in range(3):
            step(ones)

    seen = watched(block)
    mine = {d.dispatch for d in seen.of(Dispatched, "step")}
    assert [e.lost_fast_path for e in seen.of(DispatchEnded) if e.dispatch in mine] == [True, True, True]


def test_ordered_effects_are_named():
    @jax.jit
    def step(x):
        jax.debug.print("{}", x, ordered=True)
        return x

    seen = watched(lambda: (step(1.0), step(1.0)))
    assert all(d.effects for d in seen.of(Dispatched, "step"))


def test_a_call_under_eager_vmap_names_the_tracers():
    @jax.jit
    def double(x):
        return x * 2

    ones = jnp.ones(3)
    jax.vmap(double)(ones)
    (dispatched,) = watched(lambda: jax.vmap(double)(ones)).of(Dispatched, "double")
    assert dispatched.tracers == ("BatchTracer",)
