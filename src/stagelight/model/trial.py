"""What a controlled experiment and a prediction found."""

from typing import Literal

import msgspec

from stagelight.model.attribution import Cause
from stagelight.model.function import Function


class MachineSays(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the reference machine's key rule says of one call, beside what JAX was seen to do.

    Attributes:
        verdict: ``known key`` if an earlier call given here has the same key, else ``new key``; ``not modelled`` where
            the rule does not cover the function or the call.
        about: What is not modelled, by name.
        differs: How JAX did otherwise, or empty. JAX has the last word.
    """

    verdict: Literal["new key", "known key", "not modelled"]
    about: str = ""
    differs: str = ""


class Prediction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one call would do.

    Attributes:
        call: Its position in the calls given, from 1.
        traces: Whether it would trace.
        function: The function that would be traced.
        causes: Why; empty where it would not.
        like: Position of an earlier call given here whose specialization it would use, or 0.
        machine: What the reference machine's key rule says of it.
    """

    call: int
    traces: bool
    function: Function | None = None
    causes: tuple[Cause, ...] = ()
    like: int = 0
    machine: MachineSays | None = None


class Predictions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What some calls, taken in order with the caches as they are, would do.

    Attributes:
        name: Name of the function that was asked about.
        calls: One entry a call.
        notes: What the prediction does not cover.
    """

    name: str
    calls: tuple[Prediction, ...]
    notes: tuple[str, ...] = ()


class Observation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of a controlled experiment: one factor changed against the base call.

    Attributes:
        factor: What was changed; ``values only`` for the first row.
        before: The base call's value, described.
        after: The changed value, described.
        traces: How often the function was traced in the changed call.
        compiles: How many executables were compiled.
        slow_dispatches: How often a call left the fast path with nothing traced or compiled.
        causes: Why.
        error: Type and first line of what the call raised, or empty.
    """

    factor: str
    before: str = ""
    after: str = ""
    traces: int = 0
    compiles: int = 0
    slow_dispatches: int = 0
    causes: tuple[Cause, ...] = ()
    error: str = ""


class Experiment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A controlled experiment: the base call, then one factor changed at a time.

    Attributes:
        name: Name of the function.
        base: What the base call itself did.
        rows: One row a change, in the order they were run.
        jax: Version of JAX: the counts hold for this function, this process and this JAX.
    """

    name: str
    base: Observation
    rows: tuple[Observation, ...]
    jax: str = ""
