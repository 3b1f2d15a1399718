"""A wrong repair is seen to be refused: each kind of difference is made on purpose."""

import jax.numpy as jnp
import pytest

from stagelight.repair.equivalence import Sides, compared
from stagelight.repair.reference import TruthRecorder
from stagelight.repair.refusal import Refusal


def comparison(original, repaired, *example, **options):
    names = ("x", "y", "z")[: len(example)]
    given = {"static": (), "parameters": names, "example": example, "texts": {}, "tests": {}, **options}
    return compared(Sides(original=original, repaired=repaired, **given), TruthRecorder())


@pytest.mark.parametrize(
    ("repaired", "reason"),
    [
        (lambda x: x * 1.001, "value"),
        (lambda x: (x,), "structure"),
        (lambda x: x.astype(jnp.float16), "dtype"),
        (lambda x: x[None], "shape"),
        (lambda x: jnp.where(x == 0, 1.0, x), "value"),
        (lambda x: x + 0 * jnp.sqrt(jnp.abs(x)), "gradients differ"),
        (lambda x: x * float(x[0]), "the repaired function fails"),
    ],
)
def test_every_difference_is_refused(repaired, reason):
    with pytest.raises(Refusal, match=reason):
        comparison(lambda x: x, repaired, jnp.array([1.0, -2.0]))


def test_agreement_says_what_was_compared():
    coverage, cautions = comparison(lambda x: x * 2, lambda x: x + x, jnp.ones(3))
    assert (coverage.inputs, coverage.gradients, coverage.traces, cautions) == (64, 16, 1, ())


def test_results_without_gradients_are_cautioned():
    _, cautions = comparison(lambda x: x + 1, lambda x: 1 + x, jnp.arange(3))
    assert "gradients were not compared" in cautions[0]


def test_an_original_that_runs_on_few_inputs_is_not_enough():
    def picky(x):
        if not bool(jnp.all(x == jnp.arange(3))):
            raise ValueError
        return x

    with pytest.raises(Refusal, match="of 64 generated inputs run"):
        comparison(picky, lambda x: x, jnp.arange(3.0))


def test_a_condition_must_be_driven_both_ways():
    recorder, place = TruthRecorder(), (1, 0, 1, 5)

    def original(x):
        return x if recorder(place, jnp.sum(x * x) >= 0) else -x

    sides = Sides(
        original=original, repaired=lambda x: x, static=(), parameters=("x",), example=(jnp.ones(3),), texts={},
        tests={place: "x > 0"},
    )  # fmt: skip
    with pytest.raises(Refusal, match="`x > 0` could not be driven both ways"):
        compared(sides, recorder)


def test_printed_text_must_agree():
    def printing(text):
        def run(x):
            import jax

            jax.debug.print(text + " {}", x)
            return x

        return run

    with pytest.raises(Refusal, match="printed text differs"):
        comparison(printing("a"), printing("b"), jnp.ones(()), prints=True)
