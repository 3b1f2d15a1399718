"""Causes and advisories as values: their page, and the pure functions that find them."""

from collections.abc import Callable

import msgspec

from stagelight.attribution.evidence import CompileEvidence, DispatchEvidence, TraceEvidence
from stagelight.attribution.function_summary import FunctionSummary
from stagelight.attribution.limits import Limits
from stagelight.attribution.page import Page
from stagelight.model.attribution import Advisory, Cause
from stagelight.model.event import CaptureChanged, Traced
from stagelight.model.function import Function

type InTrace = Callable[[TraceEvidence], tuple[Cause, ...]]
type InCompile = Callable[[CompileEvidence], tuple[Cause, ...]]
type InDispatch = Callable[[DispatchEvidence], tuple[Cause, ...]]


class CauseRule(msgspec.Struct, frozen=True, kw_only=True):
    """One cause.

    Attributes:
        page: Its text.
        in_trace: Finds it in a trace; None where the trace ledger does not know it.
        in_compile: Finds it in a compile.
        in_dispatch: Finds it in a slow dispatch.
    """

    page: Page
    in_trace: InTrace | None = None
    in_compile: InCompile | None = None
    in_dispatch: InDispatch | None = None


type OfTrace = Callable[[Traced, Function, Limits], tuple[Advisory, ...]]
type OfCapture = Callable[[CaptureChanged, Function], tuple[Advisory, ...]]
type AtEnd = Callable[[FunctionSummary, Limits], tuple[Advisory, ...]]


class AdvisoryRule(msgspec.Struct, frozen=True, kw_only=True):
    """One advisory.

    Attributes:
        page: Its text.
        of_trace: Finds it in one trace.
        of_capture: Finds it in a captured value that changed.
        at_end: Finds it in all that is known of one function when the ledger ends.
    """

    page: Page
    of_trace: OfTrace | None = None
    of_capture: OfCapture | None = None
    at_end: AtEnd | None = None
