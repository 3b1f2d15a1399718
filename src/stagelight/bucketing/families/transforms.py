"""Fourier transforms: a ragged batch of them mixes nothing, a padded transform is another transform."""

from stagelight.bucketing.dimensions import has_symbolic
from stagelight.bucketing.padded_value import PaddedValue
from stagelight.bucketing.padding_context import PaddingContext


def fft(context: PaddingContext, operand: PaddedValue) -> list[PaddedValue]:
    """Transforms of fixed length."""
    transformed = len(context.equation.params["fft_lengths"])
    if has_symbolic(operand.shape[-transformed:]):
        raise context.refusal("a Fourier transform of a padded axis is a transform of another length")
    return context.results(context.bind(operand.array))


RULES = {"fft": fft}
