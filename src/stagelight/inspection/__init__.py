"""``check`` over files: discovery, configuration, notebooks, processes, cache, ignores and baseline.

Reads files and nothing else: no checked code is imported, and neither is JAX.
"""
