"""What a ledger may be written in the place of."""

import os

import pytest

from stagelight.errors import UsageError
from stagelight.model.event import CellRun
from stagelight.model.ledger import Header
from stagelight.recorder.writer import LedgerWriter

HEADER = Header(schema=1, stagelight="0.1.0")


def test_a_ledger_replaces_a_ledger_and_nothing_else(tmp_path):
    path = tmp_path / "a.jsonl"
    LedgerWriter(path, HEADER).close()
    LedgerWriter(path, HEADER, force=True).close()
    program = tmp_path / "train.py"
    program.write_text("import jax\n")
    with pytest.raises(UsageError, match="is no ledger: -f replaces ledgers only"):
        LedgerWriter(program, HEADER, force=True)
    assert program.read_text() == "import jax\n"


def test_an_empty_file_is_replaced(tmp_path):
    path = tmp_path / "a.jsonl"
    path.touch()
    LedgerWriter(path, HEADER, force=True).close()
    assert path.read_bytes().startswith(b'{"schema":1')


class TestHeldEntries:
    """A ledger that goes with its process is written when it is read."""

    def writer(self, path, **options):
        path.touch()
        return LedgerWriter(path, HEADER, force=True, **options)

    def test_they_are_in_the_file_after_a_flush(self, tmp_path):
        writer = self.writer(tmp_path / "a.jsonl", durable=False)
        writer.write(CellRun(at_s=0.0, execution=1))
        assert writer.path.read_bytes() == b""
        writer.flush()
        header, cell = writer.path.read_text().splitlines()
        assert (header[:10], '"execution":1' in cell) == ('{"schema":', True)

    def test_closing_flushes(self, tmp_path):
        writer = self.writer(tmp_path / "a.jsonl", durable=False)
        writer.write(CellRun(at_s=0.0, execution=1))
        writer.close()
        assert len(writer.path.read_text().splitlines()) == 2

    def test_their_number_is_bounded(self, tmp_path):
        writer = self.writer(tmp_path / "a.jsonl", durable=False)
        for number in range(1000):
            writer.write(CellRun(at_s=0.0, execution=number))
        assert len(writer.path.read_text().splitlines()) > 900

    def test_one_that_cannot_be_encoded_is_left_out_and_named(self, tmp_path):
        writer = self.writer(tmp_path / "a.jsonl", durable=False)
        for file in ("before", "\udc80", "after"):
            writer.write(CellRun(at_s=0.0, execution=1, file=file))
        writer.close()
        _, before, after = writer.path.read_text().splitlines()
        assert ("before" in before, "after" in after) == (True, True)
        assert writer.problems == ["a CellRun was not written: UnicodeEncodeError"]

    def test_a_durable_ledger_holds_none(self, tmp_path):
        writer = self.writer(tmp_path / "a.jsonl")
        writer.write(CellRun(at_s=0.0, execution=1))
        assert len(writer.path.read_text().splitlines()) == 2


def test_after_the_end_nothing_is_written_to_a_file_that_took_the_number(tmp_path):
    for durable in (True, False):
        path = tmp_path / f"{durable}.jsonl"
        writer = LedgerWriter(path, HEADER, durable=durable)
        number = writer._descriptor
        writer.close()
        before = path.read_bytes()
        taken = os.open(tmp_path / "results.csv", os.O_WRONLY | os.O_CREAT)
        os.dup2(taken, number)
        writer.write(CellRun(at_s=0.0, execution=1))
        writer.flush()
        writer.close()
        os.write(number, b"a,b")  # nobody closed it
        os.close(number)
        os.close(taken)
        assert (path.read_bytes(), (tmp_path / "results.csv").read_bytes()) == (before, b"a,b")


def test_files_that_a_program_opens_after_closing_all_get_other_numbers(tmp_path):
    writer = LedgerWriter(tmp_path / "a.jsonl", HEADER)
    assert writer._descriptor >= 500
    writer.close()
