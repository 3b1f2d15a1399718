"""Every advisory of one process, each said once."""

from collections.abc import Iterable

from stagelight.attribution.function_summary import FunctionSummary
from stagelight.attribution.limits import Limits
from stagelight.attribution.registry import ADVISORIES
from stagelight.model.attribution import Advisory
from stagelight.model.event import CaptureChanged, Traced
from stagelight.model.function import Function

MOST_SAID = 1 << 14

OF_TRACE = tuple(rule.of_trace for rule in ADVISORIES if rule.of_trace is not None)
OF_CAPTURE = tuple(rule.of_capture for rule in ADVISORIES if rule.of_capture is not None)
AT_END = tuple(rule.at_end for rule in ADVISORIES if rule.at_end is not None)

type Saying = tuple[str, int, str, int, str, str]


class Advising:
    """Every advisory of one process, each said once."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._said: dict[Saying, None] = {}

    def of_trace(self, traced: Traced, function: Function) -> tuple[Advisory, ...]:
        """What one trace is worth saying of."""
        if not (traced.unrolled or traced.constants or traced.side_effects or traced.selects):
            return ()
        return self._new(found for find in OF_TRACE for found in find(traced, function, self._limits))

    def of_capture(self, changed: CaptureChanged, function: Function) -> tuple[Advisory, ...]:
        """What a captured value that changed is worth saying of."""
        return self._new(found for find in OF_CAPTURE for found in find(changed, function))

    def at_end(self, summaries: Iterable[FunctionSummary]) -> tuple[Advisory, ...]:
        """What each function as a whole is worth saying of."""
        return self._new(found for summary in summaries for find in AT_END for found in find(summary, self._limits))

    def _new(self, found: Iterable[Advisory]) -> tuple[Advisory, ...]:
        new: list[Advisory] = []
        for advisory in found:
            saying = (
                advisory.slug,
                advisory.function.number,
                advisory.site.file,
                advisory.site.line,
                advisory.path,
                advisory.after if advisory.slug == "stale-capture" else "",
            )
            if saying not in self._said and len(self._said) < MOST_SAID:
                self._said[saying] = None
                new.append(advisory)
        return tuple(new)
