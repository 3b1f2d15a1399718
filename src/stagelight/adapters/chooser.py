"""Choose the hooks for the JAX that is there, and say why."""

from stagelight.adapters.jax_hooks import JaxHooks
from stagelight.adapters.protocol import Hooks

TESTED = ("0.9.2", "0.10.2", "0.11.2", "0.12.0.1")


def hooks_for_jax(version: str) -> tuple[Hooks, str]:
    """Hooks for an imported JAX.

    Args:
        version: ``jax.__version__``.

    Returns:
        The hooks, and one sentence on why these.
    """
    if version in TESTED:
        return JaxHooks(), f"JAX {version} is one of the versions that this Stagelight is tested with"
    return JaxHooks(), (
        f"JAX {version} is not among the tested versions ({', '.join(TESTED)}): "
        "each hook is checked before it is used, and what does not fit is off and named"
    )
