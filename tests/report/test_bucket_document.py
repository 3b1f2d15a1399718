"""A bucketed function's report, in text and in HTML."""

import io

from stagelight.model.bucket import Bucket, BucketReport, Capacity, ExactRun, Mask, SizeCount
from stagelight.report.shown import show

REPORT = BucketReport(
    function="loss",
    file="/home/me/train.py",
    line=12,
    dimensions=("b",),
    buckets=(
        Bucket(
            capacities=(Capacity(dimension="b", capacity=16),),
            calls=3,
            padding_share=0.25,
            compiles=1,
            compile_s=0.3,
            warmed=False,
            checked=True,
            sizes=(SizeCount(sizes=(9,), calls=2), SizeCount(sizes=(16,), calls=1)),
        ),
    ),
    masks=(
        Mask(
            primitive="reduce_max",
            dimensions=("b",),
            value="-inf",
            file="/home/me/train.py",
            line=14,
            why="<script>a maximum would take the padding</script>",
        ),
    ),
    exact=(ExactRun(sizes=(1,), calls=1, why="a size below 2"),),
    equations=9,
    ragged_equations=4,
    trace_s=0.1,
    guards=("b - 4",),
    refused="",
)


def shown(report, format):
    stream = io.StringIO()
    show(report, format=format, file=stream)
    return stream.getvalue()


def test_buckets_masks_exact_runs_and_conditions_are_told():
    text = shown(REPORT, "text")
    for words in (
        "4 calls",
        "b=16",
        "25%",
        "300 ms",
        "compared",
        "reduce_max",
        "-inf",
        "train.py:14",
        "a size below 2",
    ):
        assert words in text
    assert "1 of 4 equations with a ragged axis" in text
    assert "b - 4" in text


def test_a_refusal_is_told_first():
    import msgspec

    text = shown(msgspec.structs.replace(REPORT, refused="no rule for fft", buckets=(), masks=()), "text")
    assert "It cannot be bucketed: no rule for fft" in text


def test_the_page_holds_no_script_from_a_record():
    assert "<script>a maximum" not in shown(REPORT, "html")
