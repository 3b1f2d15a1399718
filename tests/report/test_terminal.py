"""Text in a terminal: width, colour, and nothing that could act on the terminal."""

import io
import re

import pytest
from report.accounts import group, ledger, train_step, training_account

from stagelight.model.attribution import Cause
from stagelight.report.document import (
    Badge,
    Cell,
    Change,
    Code,
    Column,
    Document,
    KeyValues,
    Paragraph,
    Place,
    Section,
    Table,
    Text,
)
from stagelight.report.terminal import terminal_text, write_terminal
from stagelight.report.why_document import why_document

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class Stream(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def _tty_text(monkeypatch, **environment: str) -> str:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = Stream()
    write_terminal(why_document(training_account()), stream, width=80)
    return stream.getvalue()


@pytest.mark.parametrize("width", [40, 80, 120, 300])
def test_no_line_is_wider_than_the_terminal(width):
    text = terminal_text(why_document(training_account()), width=width)
    assert max(len(line) for line in text.splitlines()) <= min(width, 110)


def test_a_terminal_gets_colours_and_the_same_words(monkeypatch):
    text = _tty_text(monkeypatch)
    assert ESCAPE.search(text)
    plain = [line.rstrip() for line in ESCAPE.sub("", text).splitlines()]
    assert plain == terminal_text(why_document(training_account()), width=80).splitlines()


def test_no_color_leaves_no_colour(monkeypatch):
    text = _tty_text(monkeypatch, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", text)


def test_a_pipe_gets_plain_text(monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    stream = io.StringIO()
    write_terminal(why_document(training_account()), stream)
    assert "\x1b" not in stream.getvalue()


def test_control_characters_of_a_ledger_cannot_reach_the_terminal(monkeypatch):
    hostile = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\r\n"
    cause = Cause(slug="shape-changed", path=hostile, before=hostile, after=hostile, detail=hostile)
    account = training_account(ledgers=(ledger(hostile),))
    step = train_step()
    account = training_account(
        functions=(type(step)(function=step.function, totals=step.totals, groups=(group(cause),)),),
        ledgers=(ledger(hostile),),
    )
    for text in (terminal_text(why_document(account)), _tty_document(monkeypatch, why_document(account))):
        left = ESCAPE.sub("", text)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", left)
        assert r"\x1b[2J" in left


def _tty_document(monkeypatch, document: Document) -> str:
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = Stream()
    write_terminal(document, stream, width=80)
    return stream.getvalue()


def test_markup_of_the_renderer_is_text():
    document = Document("t", (Paragraph((Text("[bold]x[/bold] :smile: https://a.b"),)),))
    assert terminal_text(document) == "[bold]x[/bold] :smile: https://a.b\n"


def test_a_stream_of_another_encoding_gets_what_it_can_take():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    write_terminal(Document("t", (Paragraph((Change("~f32[]", "f32[]"), Text(" 图"))),)), stream)
    stream.flush()
    assert raw.getvalue() == b"~f32[] -> f32[] \\u56fe\n"


def test_a_section_puts_its_aside_at_the_end_of_the_line_or_below():
    section = Section(title=(Text("title"),), aside=(Text("aside"),), children=(), level=3)
    assert terminal_text(Document("t", (section,)), width=40) == "title" + " " * 30 + "aside\n"
    assert terminal_text(Document("t", (section,)), width=11).split() == ["title", "aside"]


def test_values_hang_under_their_label():
    rows = KeyValues((("from", ((Place("train.py", 3, "main"),), (Code("second"),))), ("fix", ((Badge("slug"),),))))
    assert terminal_text(Document("t", (rows,))) == "from  train.py:3 in main\n      second\nfix   slug\n"


def test_a_table_elides_the_beginning_of_places():
    columns = (Column("where", place=True), Column("seconds", "right"))
    row = (Cell((Place("a/very/long/folder/train.py", 41),)), Cell((Text("1.00 s"),)))
    text = terminal_text(Document("t", (Table(columns, (row,)),)), width=28)
    assert text == "WHERE                SECONDS\n…folder/train.py:41   1.00 s\n"


def test_a_table_that_cannot_fit_is_stacked():
    columns = tuple(Column(name) for name in ("alpha", "beta", "gamma"))
    row = tuple(Cell((Text(word * 4),)) for word in ("one-", "two-", "three-"))
    text = terminal_text(Document("t", (Table(columns, (row, row)),)), width=30)
    assert text.splitlines()[:4] == [
        "alpha  one-one-one-one-",
        "beta  two-two-two-two-",
        "gamma  three-three-three-three",
        "-",
    ]


def test_a_folded_cell_breaks_between_words_where_it_can():
    rows = [(Cell((Text(text),)),) for text in ("committed-changed x uncommitted", "committed_without_a_space")]
    text = terminal_text(Document("t", (Table((Column("why"),), tuple(rows)),)), width=20)
    assert text == "WHY\ncommitted-changed x\nuncommitted\ncommitted_without_a_\nspace\n"
