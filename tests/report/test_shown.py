"""``stagelight.show``: every record in every format, and clear words for what is none."""

import io
import json

import pytest
from report.accounts import STEP, advisory, failure, train_step, training_account
from report.ledgers import two_shapes, write_ledger

import stagelight
from stagelight.attribution.whole_ledger import attributions
from stagelight.errors import UsageError
from stagelight.model.attribution import Cause, FunctionTotals, Miss, SpecializationTable
from stagelight.model.trial import Experiment, Observation, Prediction, Predictions
from stagelight.recorder.ledger_file import ledgers_from

CHANGED = Cause(slug="shape-changed", path="x", before="f32[3]", after="f32[4]")
MISS = Miss(ledger="trace", function=STEP, seconds=0.5, causes=(CHANGED,), avoidable=True)
RECORDS = {
    "account": training_account(),
    "miss": MISS,
    "advisory": advisory().advisory,
    "failure": failure().failure,
    "totals": FunctionTotals(function=STEP, traces=3),
    "table": SpecializationTable(
        function=STEP, columns=train_step().columns, rows=tuple(s.specialization for s in train_step().specializations)
    ),
    "predictions": Predictions(
        name="train_step",
        calls=(Prediction(call=1, traces=True, causes=(CHANGED,)), Prediction(call=2, traces=False, like=1)),
        notes=("Earlier results cannot feed later calls.",),
    ),
    "experiment": Experiment(
        name="train_step",
        base=Observation(factor="values only"),
        rows=(Observation(factor="x", before="f32[3]", after="f32[4]", traces=1, causes=(CHANGED,)),),
        jax="0.12.0.1",
    ),
}


def _shown(record, format: str) -> str:
    stream = io.StringIO()
    stagelight.show(record, format=format, file=stream)
    return stream.getvalue()


@pytest.fixture
def ledger(tmp_path):
    return ledgers_from([str(write_ledger(tmp_path / "a.jsonl", *two_shapes()))])[0]


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_every_record_is_shown_in_every_format(record, format):
    text = _shown(record, format)
    assert any(word in text for word in ("train_step", "train\\_step", "stale-capture", "traced-condition"))


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_every_record_is_json(record):
    assert json.loads(_shown(record, "json"))


def test_a_ledger_and_what_was_concluded_from_it_say_the_same(ledger):
    concluded = attributions(ledger.entries())
    assert "f32[32,128] → f32[17,128]" in _shown(ledger, "text")
    assert "f32[32,128] → f32[17,128]" in _shown(concluded, "text")
    assert _shown(ledger, "json") == _shown(concluded, "json")
    assert set(json.loads(_shown(ledger, "json"))) == {"schema", "functions", "misses", "advisories", "failures"}


def test_the_page_of_a_ledger_has_its_timeline(ledger):
    assert '"lanes":[{"label":"thread 1"' in _shown(ledger, "html")


def test_predictions_say_which_call_a_cached_one_is_like():
    assert "be cached, like call 1" in _shown(RECORDS["predictions"], "text")


def test_an_experiment_counts_each_factor():
    row = next(line for line in _shown(RECORDS["experiment"], "text").splitlines() if line.startswith("x "))
    assert row.split()[:6] == ["x", "f32[3]", "f32[4]", "1", "0", "0"]


def test_it_is_printed_where_no_file_is_named(capsys):
    stagelight.show(MISS)
    assert "shape-changed" in capsys.readouterr().out


@pytest.mark.parametrize("record", [None, 3, "run.jsonl", object()])
@pytest.mark.parametrize("format", ["text", "json", "html"])
def test_what_is_no_record_is_refused(record, format):
    with pytest.raises(UsageError, match="show takes a ledger or a record"):
        stagelight.show(record, format=format)


def test_a_format_that_does_not_exist_is_refused():
    with pytest.raises(UsageError, match="there are text, markdown, html, json"):
        stagelight.show(MISS, format="pdf")
