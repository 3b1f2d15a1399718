"""Which served calls a warm-up would have missed."""

from stagelight.comparison.warm_coverage import coverage_of
from stagelight.model.coverage import KeyedCall
from stagelight.model.lock import KeyPart


def call(x="f32[3]", place="uncommitted", function="a.py::f"):
    return KeyedCall(function=function, traced=(KeyPart("x", x),), placed=(KeyPart("place of x", place),))


def missed(warmed, served):
    coverage = coverage_of(warmed, served)
    return [
        (m.ledger, [tuple(getattr(p, n) for n in ("name", "before", "after")) for p in m.parts])
        for m in coverage.missed
    ]


def test_the_same_call_is_covered():
    coverage = coverage_of([call()], [call()])
    assert (coverage.covered, coverage.missed, coverage.unused) == (1, (), ())


def test_another_aval_is_traced_and_the_nearest_is_named():
    assert missed([call("f32[9]"), call("f32[3]")], [call("bf16[3]")]) == [("trace", [("x", "f32[3]", "bf16[3]")])]


def test_another_place_is_compiled():
    served = call(place="committed to cpu:0")
    assert missed([call()], [served]) == [("compile", [("place of x", "uncommitted", "committed to cpu:0")])]


def test_a_function_that_was_not_warmed_has_no_nearest():
    assert missed([call()], [call(function="a.py::g")]) == [("trace", [])]


def test_what_nobody_called_is_unused():
    assert coverage_of([call(), call("f32[4]")], [call()]).unused == (call("f32[4]"),)
