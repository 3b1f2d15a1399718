"""When the value of an expression is known: the four labels that ``check``, ``explain`` and ``fix`` share."""

import enum


class BindingTime(enum.StrEnum):
    """When a value is known, from the earliest to the latest.

    The order of the members is the order of time: an expression is known as late as its latest part, which is what
    :func:`latest` computes.

    The words are those of partial evaluation (Jones, Gomard and Sestoft, *Partial Evaluation and Automatic Program
    Generation*, 1993, chapter 4), applied to JAX's two stages.
    """

    CONSTANT = "constant"
    """Written in the source or captured from outside; an array captured this way is baked into the jaxpr."""
    STATIC = "static"
    """A Python value chosen per specialization: a static argument, a static field, a closed-over setting."""
    METADATA = "metadata"
    """Read off an aval or a pytree structure while tracing: a shape, a dtype, a length, a key."""
    DATA = "data"
    """A tracer: known only when the compiled program runs."""


_ORDER = tuple(BindingTime)


def latest(*times: BindingTime) -> BindingTime:
    """Return the latest of some binding times; ``constant`` when there are none.

    >>> latest(BindingTime.CONSTANT, BindingTime.METADATA).value
    'metadata'
    """
    return max(times, key=_ORDER.index, default=BindingTime.CONSTANT)
