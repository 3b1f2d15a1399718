"""The lock file on disk."""

import fcntl
import os

import pytest

from stagelight.control.lock_file import read_lock, write_lock
from stagelight.errors import LockError
from stagelight.model.lock import KeyPart, Lock, LockedFunction, LockedSpecialization

ODD = 'quote " backslash \\ tab \t newline \n delete \x7f umlaut ü'


def lock_with(text: str) -> Lock:
    row = LockedSpecialization(key=(KeyPart("x", text),), equations=3, unrolled=(text,), constants=(text,))
    function = LockedFunction(
        name=f"a.py::{text}", traces=2, compiles=1, causes=(("shape-changed", 1),), specializations=(row,)
    )
    return Lock(jax="1.2.3", programs=(text,), functions=(function,))


def test_every_text_comes_back(tmp_path):
    write_lock(tmp_path / "stagelight.lock", lock_with(ODD))
    assert read_lock(tmp_path / "stagelight.lock") == lock_with(ODD)


def test_two_processes_do_not_write_one_lock(tmp_path):
    path = tmp_path / "stagelight.lock"
    write_lock(path, lock_with("first"))
    other = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with pytest.raises(LockError, match="another process writes"):
        write_lock(path, lock_with("second"))
    os.close(other)
    assert read_lock(path) == lock_with("first")
    assert [p.name for p in tmp_path.iterdir()] == ["stagelight.lock"]


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(LockError, match="cannot be written"):
        write_lock(tmp_path / "absent" / "stagelight.lock", lock_with("x"))
