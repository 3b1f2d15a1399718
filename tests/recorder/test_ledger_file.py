"""Reading ledger files: what arguments name, torn ends, and input that is none."""

import os

import pytest
from report.ledgers import two_shapes, write_ledger

from stagelight.model.event import Ended, Traced
from stagelight.model.ledger import LedgerError
from stagelight.recorder import ledger_file
from stagelight.recorder.ledger_file import ledgers_from


def _entries(path) -> list[object]:
    return [entry for ledger in ledgers_from([str(path)]) for entry in ledger.entries()]


def test_a_file_gives_its_header_and_its_entries_in_order(tmp_path):
    path = write_ledger(tmp_path / "run.jsonl", *two_shapes())
    (ledger,) = ledgers_from([str(path)])
    assert ledger.header.host == "lovelace"
    assert [entry.trace for entry in ledger.entries() if isinstance(entry, Traced)] == [1, 2]


def test_entries_can_be_read_twice(tmp_path):
    (ledger,) = ledgers_from([str(write_ledger(tmp_path / "run.jsonl", *two_shapes()))])
    assert list(ledger.entries()) == list(ledger.entries())


def test_a_folder_is_its_ledgers_by_name_and_empty_ones_are_left_out(tmp_path):
    for name in ("b.jsonl", "a.jsonl"):
        write_ledger(tmp_path / name, *two_shapes())
    (tmp_path / "killed-at-once.jsonl").touch()
    (tmp_path / "notes.txt").write_text("no ledger")
    assert [os.path.basename(ledger.path) for ledger in ledgers_from([str(tmp_path)])] == ["a.jsonl", "b.jsonl"]


def test_a_pattern_and_a_file_that_it_matches_give_each_file_once(tmp_path):
    path = write_ledger(tmp_path / "host-0.jsonl", *two_shapes())
    write_ledger(tmp_path / "host-1.jsonl", *two_shapes())
    assert len(ledgers_from([str(path), f"{tmp_path}/host-*.jsonl"])) == 2


def test_a_name_with_pattern_characters_is_taken_as_it_is_if_it_exists(tmp_path):
    path = write_ledger(tmp_path / "run[1].jsonl", *two_shapes())
    assert len(ledgers_from([str(path)])) == 1


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_ledger_cut_at_any_byte_of_its_last_line_loses_only_that_line(tmp_path, cut):
    path = write_ledger(tmp_path / "run.jsonl", *two_shapes())
    whole = _entries(path)
    path.write_bytes(path.read_bytes()[:-cut])
    left = _entries(path)
    assert left == whole[: len(left)]
    assert len(left) in (len(whole), len(whole) - 1)


def test_an_entry_of_a_kind_that_is_not_known_is_read_over(tmp_path):
    path = write_ledger(tmp_path / "run.jsonl", *two_shapes(end=False))
    with path.open("ab") as file:
        file.write(b'{"event":"from-the-future","at_s":1}\n{"event":"ended","at_s":2}\n')
    assert _entries(path)[-1] == Ended(at_s=2)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"import jax\n", "is not a Stagelight ledger"),
        (b"\xff\xfe\x00\n", "is not a Stagelight ledger"),
        (b"[" * 1_000_000, "is not a Stagelight ledger"),
        (b'{"a":' * 1_000_000, "is not a Stagelight ledger"),
        (b'{"schema":99,"stagelight":"9.0"}\n', "has schema 99"),
        (b"{}\n", "is not a Stagelight ledger"),
    ],
)
def test_what_is_no_ledger_gets_a_clear_error(tmp_path, content, said):
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=said):
        ledgers_from([str(path)])


@pytest.mark.parametrize("line", [b"{", b'{"event":"traced"}', b'{"event":"traced","x":' + b"[" * 1_000_000, b"\xff"])
def test_a_broken_line_in_the_middle_is_named(tmp_path, line):
    path = write_ledger(tmp_path / "run.jsonl", *two_shapes(end=False))
    with path.open("ab") as file:
        file.write(line + b'\n{"event":"ended","at_s":2}\n')
    with pytest.raises(LedgerError, match=r"run\.jsonl is broken at line \d+"):
        _entries(path)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(ledger_file, "LONGEST_LINE_BYTES", 4096)
    path = write_ledger(tmp_path / "run.jsonl")
    with path.open("ab") as file:
        file.write(b"x" * 10_000)
    with pytest.raises(LedgerError, match="a line longer than"):
        _entries(path)


@pytest.mark.parametrize("argument", ["nowhere.jsonl", "nothing-*.jsonl", "a\0b", "x" * 5000])
def test_what_is_not_there_gets_a_clear_error(tmp_path, argument, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LedgerError):
        ledgers_from([argument])


def test_an_empty_folder_and_a_pipe_are_no_ledgers(tmp_path):
    with pytest.raises(LedgerError, match="holds no ledger"):
        ledgers_from([str(tmp_path)])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LedgerError, match="is not a regular file"):
        ledgers_from([str(tmp_path / "pipe")])
