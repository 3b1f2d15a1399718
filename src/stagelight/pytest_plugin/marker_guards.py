"""From the markers of a test to the guards around its body."""

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from stagelight.control.definition import Definition, definition_from_record
from stagelight.control.guard import Guard
from stagelight.control.policy import check_count, policy, slugs_from
from stagelight.errors import UsageError
from stagelight.model.attribution import Miss


def guards_of(item: pytest.Item) -> Iterator[Guard]:
    """The guards that the markers of a test and ``--stagelight-fail-on`` ask for."""
    for marker in item.iter_markers("no_retrace"):
        yield Guard(functools.partial(_no_retrace_policy, **marker.kwargs), "which @pytest.mark.no_retrace forbids")
    for marker in item.iter_markers("max_traces"):
        yield _max_traces_guard(*marker.args, **marker.kwargs)
    slugs = slugs_from("--stagelight-fail-on", item.config.getoption("stagelight_fail_on", None) or "")
    if slugs:
        make = functools.partial(policy, causes=slugs, threads="all", dispatches=0, forgive_made_anew=True)
        yield Guard(make, "which --stagelight-fail-on forbids")


def _no_retrace_policy(**options: Any) -> Any:
    """A function that another test made too is new in this one."""
    return policy(**{"forgive_made_anew": True, **options})


def _max_traces_guard(*args: Any, **kwargs: Any) -> Guard:
    limit, function = _max_traces_arguments(*args, **kwargs)
    counts: Counter[Definition] = Counter()

    def is_free(miss: Miss) -> bool:
        definition = definition_from_record(miss.function)
        counts[definition] += 1
        return counts[definition] <= limit

    make = functools.partial(policy, first="forbid", threads="all", compiles=None, only=function or ())
    return Guard(make, f"which @pytest.mark.max_traces({limit}) forbids in this test", is_free)


def _max_traces_arguments(limit: Any = None, *, function: str | None = None) -> tuple[int, str | None]:
    check_count("max_traces", limit)
    if function is not None and not isinstance(function, str):
        message = f"max_traces(function={function!r}): give the function's name, as a text"
        raise UsageError(message)
    return limit, function
