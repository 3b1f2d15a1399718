"""Which jaxpr is being lowered, and where its function is defined.

Follows the local variables of ``jax/_src/pjit.py: _pjit_call_impl_python, _pjit_lower, _resolve_and_lower``,
``jax/_src/interpreters/pxla.py: lower_sharding_computation`` and ``jax/_src/core.py: DebugInfo.func_src_info``.
"""

from types import FrameType
from typing import Any

_HOLDERS = frozenset({"_pjit_call_impl_python", "_pjit_lower", "_resolve_and_lower", "lower_sharding_computation"})
_FARTHEST = 14


def jaxpr_being_lowered(frame: FrameType | None) -> Any:
    """The jaxpr in a frame of JAX's lowering above this one, or ``None``."""
    found = None
    for _ in range(_FARTHEST):
        if frame is None:
            break
        if frame.f_code.co_name in _HOLDERS:
            known = frame.f_locals
            jaxpr = known.get("jaxpr")
            found = jaxpr if jaxpr is not None else known.get("closed_jaxpr", found)
        frame = frame.f_back
    return found


def source_of_jaxpr(jaxpr: Any) -> tuple[str, str, int]:
    """Name, file and line of the function that a jaxpr was made from; empty where JAX does not say."""
    debug = getattr(jaxpr, "debug_info", None) or getattr(getattr(jaxpr, "jaxpr", None), "debug_info", None)
    text = getattr(debug, "func_src_info", None) or ""
    name, _, place = text.partition(" at ")
    file, _, line = place.rpartition(":")
    return name, file, int(line) if line.isdigit() else 0
