"""``stagelight diff``: counts and seconds before and after, and the key part that differs."""

import json

import pytest
from cli.calling import called
from report.ledgers import compiled, function, header_of, structure, traced, two_shapes, write_ledger

from stagelight.model.event import PersistentCacheUse


@pytest.fixture
def runs(tmp_path):
    once = (function(), structure("x"), traced(1, 32, 128), *compiled(1))
    before = write_ledger(tmp_path / "before.jsonl", *two_shapes())
    return str(before), str(write_ledger(tmp_path / "after.jsonl", *once))


def test_it_says_counts_seconds_and_what_only_one_run_has(runs):
    result = called("diff", *runs)
    assert result.exit_code == 0
    rows = [line.split() for line in result.output.splitlines()]
    assert ["traces", "2", "1", "-1"] in rows
    assert ["avoidable", "875", "ms", "0", "s", "−875", "ms"] in rows
    assert ["step", "train.py:10", "2", "→", "1", "2", "→", "1", "1.75", "s", "875", "ms"] in rows
    assert "only before: 1 key" in result.output
    assert "x  f32[17,128] → f32[32,128]" in result.output


def test_a_run_does_not_differ_from_itself(runs):
    assert "No function of your own differs." in called("diff", runs[0], runs[0]).output


def test_two_hosts_that_ran_in_other_folders_are_compared(tmp_path, runs):
    moved = write_ledger(tmp_path / "host.jsonl", *_elsewhere(), header=header_of("/srv/job", host="hopper"))
    output = called("diff", runs[0], str(moved)).output
    assert "hopper" in output
    assert "No function of your own differs." in output


def _elsewhere():
    entries = two_shapes()
    return (function(file="/srv/job/train.py"), *entries[1:])


def test_the_component_of_the_persistent_key_is_named(tmp_path):
    paths = []
    for flags in ("a", "b"):
        use = PersistentCacheUse(outcome="miss", components=(("XLA flags", flags),))
        entries = (function(), structure("x"), traced(1, 3), *compiled(1, persistent=use))
        paths.append(str(write_ledger(tmp_path / f"{flags}.jsonl", *entries)))
    assert "persistent cache key  XLA flags  for 1 key that both runs have" in called("diff", *paths).output


def test_folders_are_runs_of_many_processes(tmp_path, runs):
    both = tmp_path / "both"
    both.mkdir()
    for name in ("0.jsonl", "1.jsonl"):
        write_ledger(both / name, *two_shapes())
    output = called("diff", runs[0], str(both)).output
    assert "(2 ledgers)" in output
    assert ["traces", "2", "4", "+2"] in [line.split() for line in output.splitlines()]


def test_json_and_markdown(runs):
    difference = json.loads(called("diff", *runs, "--format", "json").output)
    assert difference["functions"][0]["only_before"][0]["changed"][0]["name"] == "x"
    assert "**train" not in called("diff", *runs, "--format", "markdown").output
    assert called("diff", *runs, "--format", "markdown").output.startswith("# stagelight diff")
