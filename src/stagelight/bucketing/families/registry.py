"""The explicit table of primitive families."""

from collections.abc import Callable, Mapping
from typing import Any

from stagelight.bucketing.families import (
    arrangement,
    branching,
    calls,
    contraction,
    convolution,
    creation,
    cumulative,
    elementwise,
    factorization,
    gathering,
    generic_reduction,
    loops,
    order,
    random,
    reduction,
    reshaping,
    scattering,
    slicing,
    structural,
    transforms,
    windows,
)

type Rule = Callable[..., Any]

FAMILIES: tuple[tuple[str, Mapping[str, Rule]], ...] = (
    ("elementwise", elementwise.RULES),
    ("creation", creation.RULES),
    ("structural", structural.RULES),
    ("reshaping", reshaping.RULES),
    ("reduction", reduction.RULES),
    ("generic_reduction", generic_reduction.RULES),
    ("cumulative", cumulative.RULES),
    ("contraction", contraction.RULES),
    ("convolution", convolution.RULES),
    ("windows", windows.RULES),
    ("order", order.RULES),
    ("slicing", slicing.RULES),
    ("gathering", gathering.RULES),
    ("scattering", scattering.RULES),
    ("arrangement", arrangement.RULES),
    ("loops", loops.RULES),
    ("branching", branching.RULES),
    ("calls", calls.RULES),
    ("random", random.RULES),
    ("factorization", factorization.RULES),
    ("transforms", transforms.RULES),
)

RULES: Mapping[str, Rule] = {name: rule for _, rules in FAMILIES for name, rule in rules.items()}
