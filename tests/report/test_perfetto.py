"""The trace file: what Chromium's Trace Event Format asks for, and nothing missing."""

import json

from report.ledgers import two_shapes, write_ledger

from stagelight.recorder.ledger_file import ledgers_from
from stagelight.report.perfetto import write_perfetto


def _trace(*paths) -> list[dict]:
    pieces: list[bytes] = []
    write_perfetto(ledgers_from([str(path) for path in paths]), pieces.append)
    return json.loads(b"".join(pieces))["traceEvents"]


def test_every_trace_lowering_compile_and_dispatch_is_a_slice(tmp_path):
    rows = _trace(write_ledger(tmp_path / "a.jsonl", *two_shapes()))
    slices = [row for row in rows if row["ph"] == "X"]
    assert [row["name"] for row in slices[:4]] == ["trace step", "lower step", "compile step", "dispatch step"]
    assert len(slices) == 8
    assert {"ts", "dur", "pid", "tid", "cat"} <= slices[0].keys()
    assert (slices[2]["ts"], slices[2]["dur"]) == (425_000.0, 500_000.0)


def test_an_avoidable_miss_is_an_instant_that_says_why(tmp_path):
    (instant,) = [row for row in _trace(write_ledger(tmp_path / "a.jsonl", *two_shapes())) if row["ph"] == "i"]
    assert instant["name"] == "shape-changed step"
    assert instant["args"] == {"causes": ["shape-changed x: f32[32,128] → f32[17,128]"], "from": "train.py:30"}


def test_each_process_has_its_name_and_number(tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        write_ledger(tmp_path / name, *two_shapes())
    rows = _trace(tmp_path)
    named = [(row["name"], row["pid"], row["tid"], row["args"]["name"]) for row in rows if row["ph"] == "M"]
    assert named == [
        ("process_name", 1, 0, "lovelace train.py (process 7)"),
        ("thread_name", 1, 1, "thread 1"),
        ("process_name", 2, 0, "lovelace train.py (process 7)"),
        ("thread_name", 2, 2, "thread 1"),
    ]
    assert {(row["pid"], row["tid"]) for row in rows if row["ph"] != "M"} == {(1, 1), (2, 2)}
