"""``stagelight report``: one file, written whole or not at all."""

import json
import os

import pytest
from cli.calling import called
from report.ledgers import two_shapes, write_ledger

from stagelight.errors import UsageError
from stagelight.model.ledger import LedgerError


@pytest.fixture
def ledger(tmp_path):
    return str(write_ledger(tmp_path / "a.jsonl", *two_shapes()))


def test_the_page_is_written_and_named(ledger, tmp_path):
    result = called("report", ledger, "-o", str(tmp_path / "a.html"))
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr.startswith(f"Wrote {tmp_path}/a.html (")
    assert (tmp_path / "a.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(("format", "key"), [("json", "misses"), ("perfetto", "traceEvents")])
def test_other_formats_are_json(ledger, tmp_path, format, key):
    called("report", ledger, "-o", str(tmp_path / "a.json"), "--format", format)
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))[key]


def test_a_file_that_is_there_is_left_alone_without_force(ledger, tmp_path):
    (tmp_path / "a.html").write_text("mine")
    assert isinstance(called("report", ledger, "-o", str(tmp_path / "a.html")).exception, UsageError)
    assert (tmp_path / "a.html").read_text() == "mine"
    assert called("report", ledger, "-o", str(tmp_path / "a.html"), "--force").exit_code == 0
    assert (tmp_path / "a.html").read_text("utf-8") != "mine"


def test_a_broken_ledger_leaves_no_file_behind(ledger, tmp_path):
    with open(ledger, "ab") as file:
        file.write(b'{\n{"event":"ended","at_s":1}\n')
    before = sorted(os.listdir(tmp_path))
    assert isinstance(called("report", ledger, "-o", str(tmp_path / "a.html")).exception, LedgerError)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("output", ["", "nowhere/a.html"])
def test_what_cannot_be_written_gets_a_clear_error(ledger, tmp_path, output, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = called("report", ledger, "-o", output or str(tmp_path)).exception
    assert isinstance(error, UsageError)
    assert ("is a folder" if not output else "cannot be written") in str(error)


@pytest.mark.parametrize(
    ("output", "format", "way"),
    [
        ("a.pdf", "html", "cannot be written as .pdf, or name a file that ends with .html"),
        ("a.json", "html", "ask for --format json or --format perfetto"),
        ("a.html", "perfetto", "ask for --format html, or name a file that ends with .json"),
    ],
)
def test_a_file_name_of_another_format_is_refused(ledger, tmp_path, output, format, way):
    error = called("report", ledger, "-o", str(tmp_path / output), "--format", format).exception
    assert isinstance(error, UsageError)
    assert way in str(error)
    assert not (tmp_path / output).exists()


def test_a_device_is_written_into_and_stays(ledger):
    assert called("report", ledger, "-o", "/dev/null").exit_code == 0
    assert not os.path.isfile("/dev/null")


def test_the_file_has_the_rights_of_any_new_file(ledger, tmp_path):
    mask = os.umask(0o022)
    try:
        called("report", ledger, "-o", str(tmp_path / "a.html"))
    finally:
        os.umask(mask)
    assert (tmp_path / "a.html").stat().st_mode & 0o777 == 0o644
