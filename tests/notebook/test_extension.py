"""A notebook, executed by a real kernel: what a watched cell shows, and how records show themselves."""

import html.parser
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = {
    "import long before": "import jax, jax.numpy as jnp\nstep = jax.jit(lambda x: x * 2)\n_ = step(jnp.ones(3))",
    "load": "%load_ext stagelight",
    "load again": "%load_ext stagelight",
    "first watched": "%%stagelight --all\n_ = step(jnp.ones(4))\nprint('its own output')",
    "another shape": "%%stagelight\n_ = step(jnp.ones(5))",
    "cached": "%%stagelight\n_ = step(jnp.ones(5))",
    "define": "%%stagelight --all\n@jax.jit\ndef f(x):\n    return x + 1\n_ = f(jnp.ones(3))",
    "define again": "%%stagelight --all\n@jax.jit\ndef f(x):\n    return x + 1\n_ = f(jnp.ones(3))",
    "value": "%%stagelight\n1 + 1",
    "raise": "%%stagelight\n@jax.jit\ndef g(x):\n    return x if x > 0 else -x\ng(1.0)",
    "record": "import stagelight as sl\nwith sl.watch() as ledger:\n    f(jnp.ones(7)), f(jnp.ones(8))\nsl.why(ledger)",
    "one miss": "sl.why(ledger).misses[-2]",
    "ledger": "ledger",
    "help": "%%stagelight --nonsense\n1",
    "unload": "%unload_ext stagelight",
    "gone": "%%stagelight\n1",
    "plain again": "sl.why(ledger)",
}


@pytest.fixture(scope="module")
def notebook():
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    book = nbformat.v4.new_notebook(cells=cells)
    source = Path(__file__).parents[2] / "src"
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(source), "TF_CPP_MIN_LOG_LEVEL": "3"}
    client = NotebookClient(book, timeout=120, kernel_name="python3", allow_errors=True)
    client.execute(env=environment)
    return {name: cell.outputs for name, cell in zip(CELLS, book.cells, strict=True)}


def _text(outputs) -> str:
    """Everything a reader of plain text sees."""
    parts = [o.text if o.output_type == "stream" else o.get("data", {}).get("text/plain", "") for o in outputs]
    return "\n".join(parts)


def _html(outputs) -> str:
    return "".join(output.data["text/html"] for output in outputs if "text/html" in output.get("data", {}))


def _errors(outputs) -> list[tuple[str, int]]:
    return [(output.ename, len(output.traceback)) for output in outputs if output.output_type == "error"]


def test_loading_says_nothing_and_twice_is_once(notebook):
    assert notebook["load"] == []
    assert "already loaded" in _text(notebook["load again"])


def test_the_cells_own_output_comes_first_and_is_untouched(notebook):
    first = notebook["first watched"][0]
    # The kernel may send a line and its end apart.
    assert (first.output_type, first.text.rstrip("\n")) == ("stream", "its own output")


def test_a_function_jitted_before_loading_is_seen(notebook):
    assert "<lambda>" in _text(notebook["first watched"])


def test_a_cell_is_held_against_the_cells_before_it(notebook):
    text = _text(notebook["another shape"])
    assert "shape-changed" in text
    assert "f32[4] → f32[5]" in text
    assert "cell [" in text
    assert "avoidable" in text.splitlines()[0]


def test_a_cell_that_traced_nothing_says_so(notebook):
    assert "nothing traced, nothing compiled" in _text(notebook["cached"])


def test_the_first_run_of_a_cell_is_expected_and_the_second_is_marked(notebook):
    assert "nothing avoidable" in _text(notebook["define"])
    assert "ran again" not in _text(notebook["define"])
    again = _text(notebook["define again"])
    assert "nothing avoidable; this cell ran again" in again.splitlines()[0]
    assert "function-recreated" in again


def test_the_last_expression_is_displayed_as_always(notebook):
    assert notebook["value"][0].data["text/plain"] == "2"


def test_an_error_is_shown_once_and_stops_the_notebook(notebook):
    assert [name for name, _ in _errors(notebook["raise"])] == ["TracerBoolConversionError", "CellRaised"]
    assert _errors(notebook["raise"])[1][1] == 0
    text = _text(notebook["raise"])
    assert "traced-condition" in text
    assert "x > 0" in text


class Folds(html.parser.HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)


@pytest.mark.parametrize("name", ["another shape", "record", "ledger"])
def test_the_display_folds_and_has_no_script(notebook, name):
    tags = Folds(_html(notebook[name])).tags
    assert tags.count("details") == tags.count("summary") > 1
    assert "script" not in tags


def test_records_show_themselves_in_html_and_in_text(notebook):
    assert "shape-changed" in _html(notebook["record"])
    assert _text(notebook["record"]).startswith("stagelight  ")
    assert "f32[7] → f32[8]" in _text(notebook["one miss"])


def test_a_wrong_option_is_an_error_with_words(notebook):
    assert "unrecognized arguments: --nonsense" in _text(notebook["help"])


def test_unloading_takes_everything_back(notebook):
    assert "not found" in _text(notebook["gone"])
    assert _text(notebook["plain again"]).startswith("Attributions(")
    assert _html(notebook["plain again"]) == ""
