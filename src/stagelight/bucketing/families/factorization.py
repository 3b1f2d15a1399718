"""Factorizations and solves: ragged batches as they are, ragged matrices continued by the identity."""

from typing import Any

import jax.numpy as jnp

from stagelight.bucketing.dimensions import is_symbolic
from stagelight.bucketing.padded_value import PaddedValue, one, zero
from stagelight.bucketing.padding_context import PaddingContext

_WHY = "padding would take part in the elimination"


def of_batches(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """Matrices of fixed size; a ragged batch of them mixes nothing."""
    batch = len(operands[0].shape) - 2
    if any(is_symbolic(dimension) for operand in operands for dimension in operand.shape[batch:]):
        raise context.refusal("the matrix itself is ragged, and its result would depend on the padded rows")
    return context.results(context.bind(*(operand.array for operand in operands)))


def of_pivots(context: PaddingContext, pivots: PaddedValue) -> list[PaddedValue]:
    """Permutations of fixed length."""
    if is_symbolic(pivots.shape[-1]):
        raise context.refusal("the permutation itself is ragged")
    return context.results(context.bind(pivots.array))


def cholesky(context: PaddingContext, matrix: PaddedValue) -> list[PaddedValue]:
    """A ragged matrix and an identity block factor into their factors, block by block."""
    if not is_symbolic(matrix.shape[-1]):
        return of_batches(context, matrix)
    return context.results(context.bind(_with_identity(context, matrix)))


def triangular_solve(context: PaddingContext, matrix: PaddedValue, right: PaddedValue) -> list[PaddedValue]:
    """The padded rows of the right side are zero, and so are those of the solution."""
    if not is_symbolic(matrix.shape[-1]):
        return context.results(context.bind(matrix.array, right.array))
    axis = len(right.shape) - (2 if context.equation.params["left_side"] else 1)
    right = context.mask(right, (axis,), zero(right.dtype), _WHY)
    (array,) = context.bind(_with_identity(context, matrix), right.array)
    return [context.result(array, padding={axis: zero(right.dtype)})]


def tridiagonal_solve(
    context: PaddingContext, lower: PaddedValue, diagonal: PaddedValue, upper: PaddedValue, right: PaddedValue
) -> list[PaddedValue]:
    """The padded equations are ``1 * x = 0``."""
    last = len(diagonal.shape) - 1
    if is_symbolic(diagonal.shape[last]):
        lower = context.mask(lower, (last,), zero(lower.dtype), _WHY)
        diagonal = context.mask(diagonal, (last,), one(diagonal.dtype), _WHY)
        upper = _without_last(context, upper, last)
        right = context.mask(right, (len(right.shape) - 2,), zero(right.dtype), _WHY)
    return context.results(context.bind(lower.array, diagonal.array, upper.array, right.array))


def _without_last(context: PaddingContext, upper: PaddedValue, axis: int) -> PaddedValue:
    """The last equation's upper entry is not part of the system; padded, it would reach the next one."""
    is_before_last = jnp.append(context.is_valid(upper.shape[axis])[1:], False)
    context.note([upper.shape[axis]], "0", _WHY)
    return PaddedValue(jnp.where(is_before_last, upper.array, zero(upper.dtype)), upper.shape)


def _with_identity(context: PaddingContext, matrix: PaddedValue) -> Any:
    """The matrix in the first rows and columns, the identity in the padded ones."""
    rank, size = len(matrix.shape), matrix.shape[-1]
    masked = context.mask(matrix, (rank - 2, rank - 1), zero(matrix.dtype), _WHY)
    padded = jnp.logical_not(context.is_valid(size))
    identity = jnp.eye(context.capacity(size), dtype=bool) & padded[:, None]
    return masked.array + identity.astype(matrix.dtype)


_BATCHES_ONLY = [
    "eig",
    "eigh",
    "geqrf",
    "geqp3",
    "hessenberg",
    "householder_product",
    "lu",
    "qr",
    "schur",
    "svd",
    "tridiagonal",
]

RULES = {
    **dict.fromkeys(_BATCHES_ONLY, of_batches),
    "cholesky": cholesky,
    "lu_pivots_to_permutation": of_pivots,
    "triangular_solve": triangular_solve,
    "tridiagonal_solve": tridiagonal_solve,
}
