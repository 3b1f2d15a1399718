"""The journal is a chain: a change anywhere is seen, a torn line is read over, and nothing is lost."""

import pytest

from stagelight.errors import LabError
from stagelight.lab.journal import Journal, entries_from
from stagelight.model.journal import Began, GaveUp, Hinted


@pytest.fixture
def journal(tmp_path) -> Journal:
    journal = Journal(tmp_path / "deep" / "journal.jsonl")
    journal.append(Began(stagelight="1"))
    journal.append(Hinted(lesson="one", exercise="two", hint=1))
    journal.append(GaveUp(lesson="one", exercise="two"))
    return journal


def test_entries_come_back(journal):
    again = Journal(journal.path)
    assert again.entries == journal.entries
    assert [entry.sequence for entry in again.entries] == [1, 2, 3]
    assert again.entries[1].previous == again.entries[0].hash


def test_any_changed_byte_is_seen(journal):
    encoded = journal.path.read_bytes()
    for place in range(len(encoded) - 1):
        changed = bytearray(encoded)
        changed[place] = changed[place] ^ 1
        try:
            entries = entries_from(bytes(changed), "journal")
        except (LabError, UnicodeDecodeError):
            continue
        # Only a flip in the last line may pass, as a line that was torn.
        assert len(entries) < 3, f"byte {place}"


def test_an_entry_that_was_taken_away_is_seen(journal):
    lines = journal.path.read_bytes().splitlines(keepends=True)
    with pytest.raises(LabError, match="journal:2 does not follow from the entry before it"):
        entries_from(lines[0] + lines[2], "journal")


def test_an_entry_that_was_edited_is_named(journal):
    edited = journal.path.read_bytes().replace(b'"hint":1', b'"hint":0')
    with pytest.raises(LabError, match="journal:2 was changed"):
        entries_from(edited, "journal")


def test_a_torn_line_is_read_over_and_the_next_entry_follows(journal):
    with journal.path.open("ab") as file:
        file.write(b'{"sequence":4,"prev')
    again = Journal(journal.path)
    assert len(again.entries) == 3
    again.append(Began(stagelight="2"))
    assert len(Journal(journal.path).entries) == 4


def test_a_journal_that_a_program_deleted_is_written_again(journal):
    journal.path.unlink()
    assert journal.restore()
    assert Journal(journal.path).entries == journal.entries
    assert not journal.restore()
