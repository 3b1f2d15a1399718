"""Steps of the reference machine, as a document."""

import io

from stagelight.model.machine_step import (
    ComparedCall,
    JaxCall,
    MachineCall,
    MachineComparison,
    MachinePart,
    MachineStep,
)
from stagelight.report.shown import show

KEY = MachineStep(
    phase="key",
    says="The cache key, part by part.",
    parts=(
        MachinePart(name="aval of x", value="f32[4]", before="f32[3]"),
        MachinePart(name="context enable_x64", value="False"),
        MachinePart(name="context numpy_rank_promotion", value="raise"),
    ),
)
ABSTRACT = MachineStep(phase="abstract", says="Avals.", parts=(MachinePart(name="x", value="f32[4]"),))


def shown(record, format="text"):
    stream = io.StringIO()
    show(record, format=format, file=stream)
    return stream.getvalue()


def compared(outcome="traced", *, ours="{ a }", theirs="{ a }", agrees=True, error="", notes=()):
    last = MachineStep(phase="trace", says=error or "The Python function runs.")
    call = MachineCall(function="f", outcome=outcome, steps=(ABSTRACT, KEY, last), jaxpr=ours, error=error)
    seen = JaxCall(traced=True, structure="PyTreeDef(*)", avals=("f32[4]",), jaxpr=theirs, error=error)
    one = ComparedCall(call="f32[4]", machine=call, jax=seen, agrees=agrees, notes=notes)
    return MachineComparison(function="f", jax_version="0.0", calls=(one,))


def test_one_call_shows_its_steps_and_its_result():
    text = shown(MachineCall(function="f", outcome="hit", steps=(KEY,), jaxpr="{ a }", result="Array(1.)"))
    for words in ("hit: the tracing cache has the key", "1 key", "1 part changed", "f32[3] → f32[4]", "Array(1.)"):
        assert words in text


def test_settings_are_one_row_and_name_only_what_is_not_the_default():
    text = shown(MachineCall(function="f", outcome="hit", steps=(KEY,)))
    assert "numpy_rank_promotion raise" in text
    assert "enable_x64" not in text


def test_avals_stand_side_by_side():
    lines = [" ".join(line.split()) for line in shown(compared()).splitlines()]
    assert "PART ON THE MACHINE ON JAX" in lines
    assert "x f32[4] f32[4]" in lines


def test_equal_programs_are_printed_once_and_others_both():
    assert "letter for letter" in shown(compared())
    both = shown(compared(theirs="{ b }"))
    assert both.count("The jaxpr on") == 2
    only = shown(compared("refused", ours="", agrees=False, notes=("Not modelled.",)))
    assert "not as on JAX" in only
    assert "Not modelled." in only
    assert "JAX's jaxpr has 1 line" in only


def test_what_jax_raised_stands_at_the_last_step():
    text = shown(compared("failed", ours="", theirs="", error="TypeError: <b>no</b>"), "html")
    assert "raised" in text
    assert "TypeError: &lt;b&gt;no&lt;/b&gt;" in text
