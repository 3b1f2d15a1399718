"""Tested and refused primitives together are the ones that JAX has."""

import subprocess
import sys

import jax
import numpy as np
import pytest
from bucketing.families.every_case import ALL
from bucketing.tracing import traced

import stagelight
from stagelight.adapters.symbolic_registry import registered_primitives
from stagelight.bucketing.families.registry import FAMILIES, RULES
from stagelight.bucketing.primitives import OTHER_VERSIONS, REFUSED, TESTED

is_current = jax.__version_info__[:2] == (0, 12)


@pytest.mark.skipif(not is_current, reason="the tuples are those of JAX 0.12")
def test_tested_and_refused_are_the_primitives_of_jax():
    # In a fresh interpreter: other libraries register primitives of their own.
    program = f"from {registered_primitives.__module__} import *; print(*registered_primitives())"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert set(TESTED) | set(REFUSED) == set(printed.split())
    assert not set(TESTED) & set(REFUSED)


def test_every_tested_primitive_has_a_rule_and_no_refused_one_has():
    assert set(TESTED) | set(OTHER_VERSIONS) == set(RULES)
    assert not set(REFUSED) & set(RULES)


def test_no_two_families_hold_one_primitive():
    assert sum(len(rules) for _, rules in FAMILIES) == len(RULES)


@pytest.mark.skipif(not is_current, reason="the cases use functions of JAX 0.12")
def test_every_tested_primitive_is_in_a_case():
    in_cases = set().union(*(traced(case)[0] for case in ALL))
    assert set(TESTED) <= in_cases


def test_a_refused_primitive_is_named_with_the_users_line_and_a_way_out():
    def called_back(x):
        return jax.pure_callback(lambda a: a, jax.ShapeDtypeStruct((), np.float32), x.sum()) + jax.pure_callback(
            lambda a: np.float32(a.sum()), jax.ShapeDtypeStruct((), np.float32), x
        )

    function = stagelight.bucketed(called_back, dims={"x": {0: "b"}})
    with pytest.raises(stagelight.BucketingRefused) as caught:
        function(np.ones(5, np.float32))
    message = str(caught.value)
    assert "'pure_callback'" in message
    assert f"{__file__}:" in message
    assert "on_unsupported='exact'" in message
