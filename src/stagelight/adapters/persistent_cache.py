"""Whether JAX has opened its persistent cache, and whether it had decided against it before.

Follows ``jax/_src/compilation_cache.py: _cache_initialized, _cache_used, _cache``: JAX decides once, at the first
compile, whether there is a cache.
"""


def is_decided_without_cache() -> bool | None:
    """Whether JAX has compiled something before a folder was set; ``None`` where this JAX does not tell."""
    try:
        from jax._src import compilation_cache

        return bool(compilation_cache._cache_initialized) and compilation_cache._cache is None
    except Exception:
        return None
