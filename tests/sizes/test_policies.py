import re

import pytest

import stagelight
from stagelight.errors import UsageError
from stagelight.sizes.policies import policy_from

POLICIES = [
    stagelight.powers_of_two(8),
    stagelight.powers_of_two(6, 100),
    stagelight.geometric(1.25, largest=200),
    stagelight.geometric(2.5, smallest=4, align=4),
    stagelight.multiples(64),
    stagelight.edges(8, 32, 100, 200),
]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_capacity_holds_its_sizes_and_is_the_least_that_does(policy):
    for size in range(1, 101):
        capacity = policy.capacity(size)
        assert capacity >= size
        assert policy.capacity(capacity) == capacity
        assert policy.least_size(capacity) <= size
        assert policy.capacity(policy.least_size(capacity)) == capacity
        if policy.least_size(capacity) > 1:
            assert policy.capacity(policy.least_size(capacity) - 1) < capacity


def test_powers_of_two():
    policy = stagelight.powers_of_two(8, 64)
    assert [policy.capacity(size) for size in (1, 8, 9, 33, 64)] == [8, 8, 16, 64, 64]


def test_edges_are_sorted_and_distinct():
    assert stagelight.edges(32, 8, 8).capacities == (8, 32)


@pytest.mark.parametrize(
    "policy",
    [
        stagelight.powers_of_two(8, 64),
        stagelight.geometric(largest=64),
        stagelight.multiples(8, largest=64),
        stagelight.edges(64),
    ],
)
def test_a_size_beyond_the_largest_is_an_error(policy):
    assert policy.capacity(64) == 64
    with pytest.raises(UsageError, match="size 65 is beyond the largest bucket, 64"):
        policy.capacity(65)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: stagelight.powers_of_two(0), "smallest must be a positive integer, and is 0"),
        (lambda: stagelight.powers_of_two(8.0), "smallest must be a positive integer, and is 8.0"),
        (lambda: stagelight.powers_of_two(8, 4), "the largest capacity, 4, is below the smallest, 8"),
        (lambda: stagelight.geometric(1.0), "growth must be above 1"),
        (lambda: stagelight.multiples(True), "of must be a positive integer"),
        (lambda: stagelight.edges(), "edges needs at least one capacity"),
        (lambda: policy_from(8), "buckets must be a policy"),
    ],
)
def test_malformed_policies(make, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        make()


def test_a_list_of_capacities_is_a_policy():
    assert policy_from([8, 16]) == stagelight.edges(8, 16)
