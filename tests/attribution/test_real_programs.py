"""A few random programs under real JAX; ``bench/random_programs.py`` runs hundreds."""

import random

import pytest

pytest.importorskip("jax")

from attribution.real_programs import SITUATIONS, changed_parts, combined_parts


@pytest.mark.parametrize("seed", range(8))
def test_one_or_two_changed_parts_are_told_exactly(seed):
    program = changed_parts(random.Random(seed))
    assert program.said() == program.causes, program.name


@pytest.mark.parametrize("seed", range(2))
def test_parts_that_were_seen_apart(seed):
    program = combined_parts(random.Random(seed))
    assert program.said() == program.causes, program.name


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_situations(situation):
    program = situation(random.Random(0))
    assert program.said() == program.causes, program.name
