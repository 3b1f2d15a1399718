"""Where JAX is installed, and which jaxlib it came with."""

import os


def installed_folders() -> tuple[str, ...]:
    """Folders of ``jax`` and ``jaxlib``, whose code is JAX's own."""
    import jax
    import jaxlib

    return tuple(os.path.dirname(m.__file__) for m in (jax, jaxlib) if m.__file__)


def jaxlib_version() -> str:
    """Version of jaxlib, empty where it does not say."""
    import jaxlib

    return str(getattr(jaxlib, "__version__", ""))
