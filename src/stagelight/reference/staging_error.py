"""The errors of staging, by the names and base classes that JAX gives them.

Follows ``jax/_src/errors.py`` and the ``TypeError`` and ``ValueError`` that ``jax/_src/pjit.py``,
``jax/_src/core.py`` and ``jax/_src/lax/control_flow`` raise. Each is a ``StagelightError`` too, so one ``except``
still catches them all.
"""

from stagelight.errors import StagelightError


class NotModelledError(StagelightError, AttributeError):
    """An operation or value that the machine does not model; it is refused by name, never approximated."""

    def __init__(self, what: str) -> None:
        says = "It refuses what it does not cover rather than guess; ask JAX itself about this program."
        super().__init__(f"The reference machine does not model {what}. {says}")
        self.what = what


class StagingTypeError(StagelightError, TypeError):
    """What JAX reports with a plain ``TypeError`` while it stages a function."""


class StagingValueError(StagelightError, ValueError):
    """What JAX reports with a plain ``ValueError`` while it stages a function."""


class StagingOverflowError(StagelightError, OverflowError):
    """A Python integer that does not fit the dtype it would get."""


class ConcretizationTypeError(StagingTypeError):
    """A value was needed while tracing, when only its aval is known."""


class TracerBoolConversionError(ConcretizationTypeError):
    """A traced value was used where Python needs true or false."""


class TracerIntegerConversionError(StagingTypeError):
    """A traced value was used where Python needs an index."""


class TracerArrayConversionError(StagingTypeError):
    """A traced value was handed to NumPy."""


class StagingIndexError(StagelightError, IndexError):
    """What JAX reports with a plain ``IndexError`` while it stages a function."""


class NonConcreteBooleanIndexError(StagingIndexError):
    """A traced mask was used as an index, so the shape of the result would depend on data."""


class UnexpectedTracerError(StagingTypeError):
    """A tracer outlived the trace that made it."""


def require(holds: object, says: str, error: type[StagelightError] = StagingTypeError) -> None:
    """Raise an error, most often one of type, unless a rule of staging holds."""
    if not holds:
        raise error(says)


def require_value(holds: object, says: str) -> None:
    """Raise an error of value unless a rule of staging holds."""
    require(holds, says, StagingValueError)
