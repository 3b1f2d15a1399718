"""Compare a bucket's first result with the unpadded function's."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stagelight.bucketing.padded_value import is_key_dtype
from stagelight.errors import BucketMismatch

# Padded and unpadded programs add in another order, so that the last bits may differ. Relative to the greatest value of
# an array; a mistake in a mask is far beyond it, an ill-conditioned function is not.
_TOLERANCE = {2: 5e-2, 4: 1e-3, 8: 1e-8}


def check_equal(got: Any, expected: Any, *, function: str, bucket: str, against: str = "") -> None:
    """Compare two results leaf by leaf.

    Args:
        got: The bucket's.
        expected: The unpadded function's, or that of a bucket that was compared with it.
        function: Name of the function.
        bucket: The bucket.
        against: The other bucket; empty for the unpadded function.

    Raises:
        BucketMismatch: They differ in structure, shape, dtype or beyond rounding; names the result's path.
    """
    got_leaves, got_tree = jax.tree_util.tree_flatten_with_path(got)
    expected_leaves, expected_tree = jax.tree_util.tree_flatten_with_path(expected)
    if got_tree != expected_tree:
        raise BucketMismatch(_message(function, bucket, against, "its structure", str(expected_tree), str(got_tree)))
    for (path, one), (_, other) in zip(got_leaves, expected_leaves, strict=True):
        difference = _difference(one, other)
        if difference is not None:
            where = f"result{jax.tree_util.keystr(path)}"
            raise BucketMismatch(_message(function, bucket, against, where, *difference))


def _difference(got: Any, expected: Any) -> tuple[str, str] | None:
    """The unpadded and the bucketed value where they differ, or None."""
    one, other = _host(got), _host(expected)
    if one.shape != other.shape or one.dtype != other.dtype:
        return f"{other.dtype}{list(other.shape)}", f"{one.dtype}{list(one.shape)}"
    if not one.size:
        return None
    wrong = _is_beyond_rounding(one, other) if jnp.issubdtype(one.dtype, jnp.inexact) else one != other
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{other[index]} at {list(index)}", f"{one[index]}"


def _is_beyond_rounding(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    wide = np.complex128 if jnp.issubdtype(one.dtype, jnp.complexfloating) else np.float64
    parts = 2 if wide is np.complex128 else 1
    tolerance = _TOLERANCE.get(one.dtype.itemsize // parts, 1e-3)
    a, b = one.astype(wide), other.astype(wide)
    finite = np.isfinite(b)
    scale = float(np.abs(b[finite]).max()) if finite.any() else 0.0
    with np.errstate(invalid="ignore"):
        close = np.abs(a - b) <= tolerance * max(scale, 1e-6)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return ~np.where(finite, close, same)


def _host(value: Any) -> np.ndarray:
    return np.asarray(jax.random.key_data(value) if is_key_dtype(jnp.result_type(value)) else value)


def _message(function: str, bucket: str, against: str, where: str, expected: str, got: str) -> str:
    other = f"bucket {against}, which was compared before" if against else "the unpadded function"
    return (
        f"the bucketed {function} gives another result than {other}, in bucket {bucket}.\n"
        f"  {where}: {f'in {against}' if against else 'unpadded'} {expected}, bucketed {got}\n"
        f"  Either the function is so sensitive to rounding that two orders of a sum differ this much, or a mask is "
        f"missing: please report it.\n"
        f"  Run this function with jax.jit, or with check_first=False if the difference is rounding."
    )
