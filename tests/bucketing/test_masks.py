"""Every mask is needed: leaving one out makes at least one case differ from the unpadded function."""

import jax
import numpy as np
import pytest
from bucketing.cases import SIZES, assert_close, bucketed, with_gradient
from bucketing.families.every_case import ALL
from bucketing.tracing import mask_sites, traced, watched_masks

from stagelight.bucketing.families.loops import _While

ENDLESS = "padded lanes that would never end"


@pytest.fixture(scope="module")
def cases_of_place():
    """For each place that asks for a mask the cases that reach it, the smallest programs first."""
    found = {}
    for case, places in sorted(((case, traced(case)[1]) for case in ALL), key=lambda pair: len(pair[1])):
        for place in places:
            found.setdefault(place, []).append(case)
    return found


@pytest.mark.parametrize("site", list(mask_sites()), ids=lambda site: f"{site[0]}:{site[1]}")
def test_leaving_a_mask_out_is_noticed(site, cases_of_place):
    candidates = [case for place, found in cases_of_place.items() if _is_in(place, site) for case in found]
    candidates.sort(key=lambda case: case.name != ENDLESS)
    assert candidates, f"no case asks for the mask at {site}"
    assert any(_differs_without(case, site) for case in candidates[:6])


def test_padded_lanes_do_not_keep_a_loop_alive():
    (case,) = (case for case in ALL if case.name == ENDLESS)
    _run_turn_by_turn(case)


class _TooManyTurns(Exception):
    pass


def _run_turn_by_turn(case):
    """Without jit, a loop's turns are Python's, and one that does not end can be stopped."""
    turns, turn = [], _While.turn

    def counted(loop, arrays):
        turns.append(1)
        if len(turns) > 20:
            raise _TooManyTurns
        return turn(loop, arrays)

    with pytest.MonkeyPatch.context() as patch, jax.disable_jit():
        patch.setattr(_While, "turn", counted)
        bucketed(case)(*case.arguments(np.random.default_rng(0), *SIZES[0]))


def _is_in(place, site):
    return place[0] == site[0] and site[1] <= place[1] <= site[2]


def _differs_without(case, site):
    if case.name == ENDLESS:
        with watched_masks(set(), left_out=site), pytest.raises(_TooManyTurns):
            _run_turn_by_turn(case)
        return True
    args = case.arguments(np.random.default_rng(0), *SIZES[0])
    function = bucketed(case)
    with watched_masks(set(), left_out=site):
        try:
            assert_close(case, function(*args), jax.jit(with_gradient(case))(*args))
        except AssertionError:
            return True
    return False
