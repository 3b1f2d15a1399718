"""What a bucketed function tells JAX's own event listeners, through public ``jax.monitoring``.

Anyone may listen, and Stagelight's recorder does. With no listener, an announcement costs under a microsecond.
"""

import contextlib
from collections.abc import Iterator

import jax

CALL_EVENT = "/stagelight/bucketed/call"
EXACT_EVENT = "/stagelight/bucketed/exact"
LOOKING_EVENT = "/stagelight/bucketed/looking"
COMPILE_EVENT = "/stagelight/bucketed/compile_duration"


@contextlib.contextmanager
def looking() -> Iterator[None]:
    """What is traced in this block, Stagelight traces to look at the function; no call of the program needs it."""
    jax.monitoring.record_event(LOOKING_EVENT, state="began")
    try:
        yield
    finally:
        jax.monitoring.record_event(LOOKING_EVENT, state="ended")


def announce_call(function: str, bucket: str) -> None:
    """A call ran in a bucket, whose capacities are given as text such as ``b=16,t=32``."""
    jax.monitoring.record_event(CALL_EVENT, function=function, bucket=bucket)


def announce_exact(function: str, sizes: str, why: str) -> None:
    """A call ran without padding."""
    jax.monitoring.record_event(EXACT_EVENT, function=function, sizes=sizes, why=why)


def announce_compile(function: str, bucket: str, compile_s: float) -> None:
    """A bucket was lowered and compiled."""
    jax.monitoring.record_event_duration_secs(COMPILE_EVENT, compile_s, function=function, bucket=bucket)


def text_of_sizes(names: tuple[str, ...], sizes: tuple[int, ...]) -> str:
    """Sizes by name, such as ``b=16,t=32``."""
    return ",".join(f"{name}={size}" for name, size in zip(names, sizes, strict=True))
