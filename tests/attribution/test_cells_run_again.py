"""A function that is made anew because its notebook cell was run again is no finding."""

import pytest
from msgspec.structs import replace
from report.ledgers import compiled, function, structure, traced

from stagelight.attribution.attributor import Attributor


def _misses(*, again: bool, size: int) -> list:
    first, second = traced(1, 3), replace(traced(2, size), object=2, rerun_of_cell=again)
    attributor = Attributor()
    entries = (function(), structure("x"), first, *compiled(1), second, *compiled(2))
    return [miss for entry in entries for miss in attributor.feed(entry)][2:]


@pytest.mark.parametrize(("again", "size", "avoidable"), [(False, 3, True), (True, 3, False), (True, 4, True)])
def test_only_what_the_rerun_explains_is_left_out(again, size, avoidable):
    trace, compile_ = _misses(again=again, size=size)
    assert "function-recreated" in [cause.slug for cause in trace.causes]
    assert trace.avoidable is avoidable
    assert (trace.avoidable_s > 0, compile_.avoidable_s > 0) == (avoidable, avoidable)
