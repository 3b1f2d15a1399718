"""Excerpts of source: the head of a function, one line, and files that are none of a page's business."""

import linecache

import pytest

from stagelight.model.site import Site
from stagelight.report.excerpt import LINES, function_excerpt, line_text, source_lines
from stagelight.report.file_names import FileNames

TEXT = '''import jax


@jax.jit
@other
def step(
    x,
):
    """One step."""

    return x


def next_one():
    pass
'''


@pytest.fixture
def train(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(TEXT)
    source_lines.cache_clear()
    return str(path)


def test_an_excerpt_begins_at_the_decorators_and_ends_with_the_body(train):
    source = function_excerpt(train, 6, FileNames())
    assert source is not None
    assert (source.first_line, source.lines[0], source.lines[-1]) == (4, "@jax.jit", "    return x")
    assert source.marks == ((6, "defined here"),)


def test_a_line_that_is_a_decorator_leads_to_the_definition(train):
    assert function_excerpt(train, 4, FileNames()) == function_excerpt(train, 6, FileNames())


def test_a_long_function_is_cut(tmp_path):
    path = tmp_path / "long.py"
    path.write_text("def f():\n" + "    pass\n" * 500)
    source = function_excerpt(str(path), 1, FileNames())
    assert source is not None
    assert len(source.lines) == LINES


def test_one_line_is_shown_without_its_indentation(train):
    assert line_text(Site(train, 11)) == "return x"


@pytest.mark.parametrize("line", [0, -1, 999])
def test_a_line_that_is_not_there_gives_nothing(train, line):
    assert function_excerpt(train, line, FileNames()) is None
    assert line_text(Site(train, line)) == ""


@pytest.mark.parametrize("name", ["/etc/passwd", "/dev/zero", "", "a\0b", "/nowhere.py", "/proc/self/environ", "/"])
def test_only_python_files_are_read(name):
    assert source_lines(name) == ()


def test_a_cell_of_this_process_is_read_from_its_cache():
    linecache.cache["<cell 1>"] = (12, None, ["def f(x):\n", "    return x\n"], "<cell 1>")
    try:
        assert source_lines("<cell 1>") == ("def f(x):", "    return x")
    finally:
        del linecache.cache["<cell 1>"]
        source_lines.cache_clear()
