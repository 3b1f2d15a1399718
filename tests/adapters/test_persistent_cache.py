"""Whether JAX has decided about its cache: ``jax/_src/compilation_cache.py: _cache_initialized, _cache``."""

from jax._src import compilation_cache

from stagelight.adapters.persistent_cache import is_decided_without_cache


def test_this_jax_tells():
    assert hasattr(compilation_cache, "_cache_initialized")
    assert hasattr(compilation_cache, "_cache")
    assert is_decided_without_cache() in (True, False)
