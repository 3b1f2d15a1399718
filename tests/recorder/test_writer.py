"""What a ledger may be written in the place of."""

import pytest

from stagelight.errors import UsageError
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
