"""The machine interface, key by key."""

import json

from report.accounts import STEP
from report.ledgers import raised, two_shapes, write_ledger

from stagelight.model.attribution import Advisory
from stagelight.model.site import NOWHERE
from stagelight.recorder.ledger_file import ledgers_from
from stagelight.report.machine_object import MachineObject
from stagelight.report.machine_reading import write_machine_object
from stagelight.report.selection import Selection


def _object(path, **selection: object) -> dict:
    pieces: list[bytes] = []
    write_machine_object(ledgers_from([str(path)]), Selection(**selection), pieces.append)
    return json.loads(b"".join(pieces))


def test_the_object_has_exactly_its_parts(tmp_path):
    said = _object(write_ledger(tmp_path / "a.jsonl", *two_shapes()))
    assert set(said) == {"schema", "functions", "misses", "advisories", "failures"}
    assert said["schema"] == 1


def test_a_function_has_its_counts_and_seconds(tmp_path):
    (step,) = _object(write_ledger(tmp_path / "a.jsonl", *two_shapes()))["functions"]
    wanted = {
        "function": "step",
        "file": "train.py",
        "line": 10,
        "traces": 2,
        "compiles": 2,
        "calls": None,
        "dispatch_misses": 0,
        "specializations": 2,
        "trace_s": 0.5,
        "lower_s": 0.25,
        "compile_s": 1.0,
    }
    assert wanted.items() <= step.items()


def test_misses_are_in_order_and_a_trace_and_its_compile_are_two(tmp_path):
    misses = _object(write_ledger(tmp_path / "a.jsonl", *two_shapes()))["misses"]
    assert [(m["ledger"], [c["slug"] for c in m["causes"]]) for m in misses] == [
        ("trace", ["first-trace"]),
        ("compile", ["first-compile"]),
        ("trace", ["shape-changed"]),
        ("compile", ["first-compile"]),
    ]


def test_a_miss_has_its_places_its_cost_and_its_evidence(tmp_path):
    miss = _object(write_ledger(tmp_path / "a.jsonl", *two_shapes()))["misses"][2]
    wanted = {
        "function": "step",
        "file": "train.py",
        "line": 10,
        "call_file": "train.py",
        "call_line": 30,
        "seconds": 0.25,
    }
    assert wanted.items() <= miss.items()
    cause = {"slug": "shape-changed", "path": "x", "before": "f32[32,128]", "after": "f32[17,128]"}
    assert cause.items() <= miss["causes"][0].items()


def test_a_failure_has_its_expression_and_whether_it_was_handled(tmp_path):
    path = write_ledger(tmp_path / "a.jsonl", *two_shapes(end=False), *raised(ended=True))
    (failure,) = _object(path)["failures"]
    wanted = {
        "slug": "traced-condition",
        "error": "TracerBoolConversionError",
        "function": "step",
        "file": "train.py",
        "line": 12,
        "column": 8,
        "expression": "x > 0",
        "arguments": ["x"],
        "handled": False,
    }
    assert wanted.items() <= failure.items()


def test_an_advisory_has_its_path_and_values():
    pieces: list[bytes] = []
    target = MachineObject(pieces.append)
    advisory = Advisory(slug="stale-capture", function=STEP, site=NOWHERE, path="scale", before="2", after="3")
    target.end([], [advisory], [])
    (row,) = json.loads(b"".join(pieces))["advisories"]
    assert {"slug": "stale-capture", "function": "train_step", "line": 41, "path": "scale"}.items() <= row.items()


def test_an_empty_ledger_gives_a_whole_object(tmp_path):
    said = _object(write_ledger(tmp_path / "a.jsonl"))
    assert (said["misses"], said["functions"]) == ([], [])


def test_names_filter_and_nothing_is_folded(tmp_path):
    path = write_ledger(tmp_path / "a.jsonl", *two_shapes())
    assert len(_object(path, causes=("shape-changed",))["misses"]) == 1
    assert _object(path, functions=("other",))["functions"] == []
    assert len(_object(path, files=("train.py",))["misses"]) == 4


def test_processes_are_told_apart_and_functions_summed(tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        write_ledger(tmp_path / name, *two_shapes())
    said = _object(tmp_path)
    assert [m.get("process", 0) for m in said["misses"]] == [0] * 4 + [1] * 4
    assert [f["traces"] for f in said["functions"]] == [4]
