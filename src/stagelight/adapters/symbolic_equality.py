"""Equalities of symbolic dimensions that JAX could not prove while it traced.

``jax/_src/export/shape_poly.py`` ``_DimExpr.__eq__`` answers False for every equality that it cannot prove, which its
comment calls "really unsound": ``if n == 17`` is traced as if 17 were impossible. Here each such answer is written down
while a trace runs, so that the caller can turn it into a condition on the true sizes.

The class is patched only while some thread records, and only a recording thread writes. A canary compares two
dimensions in every recording; where the answer is not written down, JAX's hook has moved and the trace is refused.
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from jax import export


class HookMoved(Exception):
    """JAX no longer asks ``_DimExpr.__eq__``, so unproved equalities would go unseen."""


class _Recordings(threading.local):
    """The recordings that are open in this thread, innermost last."""

    def __init__(self) -> None:
        self.open: list[dict[str, Any]] = []
        self.comparing = False


_recordings = _Recordings()
_patch_lock = threading.Lock()
_patched_by = 0
_original_equality: Any = None


@contextlib.contextmanager
def unproved_equalities() -> Iterator[dict[str, Any]]:
    """Record the differences whose being zero JAX assumed to be impossible.

    Yields:
        A dict that fills while the block runs: the difference as text, and as a dimension.

    Raises:
        HookMoved: The canary's comparison was not recorded.
    """
    recorded: dict[str, Any] = {}
    _patch()
    _recordings.open.append(recorded)
    try:
        yield recorded
        _check_canary(recorded)
    finally:
        _recordings.open.pop()
        _unpatch()


def _check_canary(recorded: dict[str, Any]) -> None:
    first, second = export.symbolic_shape("stagelight_canary_a, stagelight_canary_b")
    answers = (first == second, first == 3)
    seen = [text for text in recorded if "stagelight_canary" in text]
    for text in seen:
        del recorded[text]
    if any(answers) or len(seen) != 2:
        raise HookMoved


def _patch() -> None:
    global _patched_by, _original_equality
    with _patch_lock:
        _patched_by += 1
        if _patched_by > 1:
            return
        (probe,) = export.symbolic_shape("stagelight_probe")
        dimension_class = type(probe)
        _original_equality = dimension_class.__eq__
        hashing = dimension_class.__hash__
        dimension_class.__eq__ = _recording_equality
        dimension_class.__hash__ = hashing  # assigning __eq__ leaves it, a class body would not: state it


def _unpatch() -> None:
    global _patched_by
    with _patch_lock:
        _patched_by -= 1
        if _patched_by:
            return
        (probe,) = export.symbolic_shape("stagelight_probe")
        type(probe).__eq__ = _original_equality


def _recording_equality(self: Any, other: Any) -> bool:
    answer = _original_equality(self, other)
    if answer is False and _recordings.open and not _recordings.comparing:
        _record(self, other)
    return answer


def _record(one: Any, other: Any) -> None:
    if not isinstance(other, (type(one), int, np.integer)):
        return
    _recordings.comparing = True  # subtraction compares dimensions itself
    try:
        difference = one - other
    except Exception:  # dimensions of two scopes cannot be subtracted, and are never equal
        return
    finally:
        _recordings.comparing = False
    if not isinstance(difference, (int, np.integer)):
        _recordings.open[-1][str(difference)] = difference
