import itertools
import random
from collections import Counter

import pytest

import stagelight
from stagelight.errors import UsageError
from stagelight.sizes.fitting import padding_share


def cost(sizes, capacities, compile_cost):
    policy = stagelight.edges(*capacities)
    return sum(policy.capacity(size) for size in sizes) + compile_cost * len(capacities)


def test_no_other_edges_cost_less():
    generator = random.Random(0)
    for _ in range(20):
        sizes = [generator.randint(1, 12) for _ in range(generator.randint(1, 10))]
        compile_cost = generator.choice([0.5, 3, 10, 40])
        found = stagelight.fit(sizes, compile_cost=compile_cost).capacities
        distinct = sorted(set(sizes))
        every = [
            (*chosen, distinct[-1])
            for count in range(len(distinct))
            for chosen in itertools.combinations(distinct[:-1], count)
        ]
        least = min(cost(sizes, capacities, compile_cost) for capacities in every)
        assert cost(sizes, found, compile_cost) == pytest.approx(least)


def test_counts_and_single_sizes_give_the_same_edges():
    sizes = [3, 3, 9, 17, 17, 17]
    assert stagelight.fit(sizes, compile_cost=2) == stagelight.fit(Counter(sizes), compile_cost=2)


def test_edges_are_aligned_and_at_most_as_many():
    policy = stagelight.fit(range(1, 100), compile_cost=0, at_most=4, align=8)
    assert len(policy.capacities) == 4
    assert all(capacity % 8 == 0 for capacity in policy.capacities)
    assert policy.capacity(99) == 104


def test_many_distinct_sizes_are_thinned():
    policy = stagelight.fit(range(1, 5000), at_most=8)
    assert policy.capacity(4999) == 4999
    assert padding_share(range(1, 5000), policy) < 0.15


def test_more_compile_cost_means_fewer_edges():
    counts = [len(stagelight.fit(range(1, 200), compile_cost=c).capacities) for c in (1, 100, 1000, 100000)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 1


@pytest.mark.parametrize("sizes", [[], [0], [-3], [2.5], {4: 0}])
def test_sizes_that_cannot_be_fitted(sizes):
    with pytest.raises(UsageError):
        stagelight.fit(sizes)
