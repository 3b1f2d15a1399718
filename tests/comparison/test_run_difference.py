"""What one run traced or compiled that another did not."""

from msgspec.structs import replace
from report.ledgers import compiled, function, structure, traced

from stagelight.comparison.run import KeyReader
from stagelight.comparison.run_difference import run_difference
from stagelight.comparison.run_key import CONVENTION, stable_text
from stagelight.model.attribution import FunctionTotals
from stagelight.model.comparison import ChangedPart, RunFunction
from stagelight.model.event import ContextSeen, PersistentCacheUse, StructureSeen
from stagelight.model.function import Function
from stagelight.model.structure import Structure, TreeNode
from stagelight.model.value import Value

STEP = function().function


def _run(*entries, function: Function = STEP, traces: int = 1, compiles: int = 1) -> tuple[RunFunction, ...]:
    keys = KeyReader()
    for entry in entries:
        keys.feed(entry)
    return keys.functions((FunctionTotals(function=function, traces=traces, compiles=compiles, trace_s=traces * 0.25),))


def _shapes(*sizes: int, **options) -> tuple[RunFunction, ...]:
    entries = [structure("x"), *(traced(n, size) for n, size in enumerate(sizes, start=1))]
    return _run(*entries, traces=len(sizes), **options)


def test_runs_with_the_same_keys_do_not_differ():
    difference = run_difference(_shapes(3, 4), _shapes(4, 3))
    assert (difference.functions, difference.same) == ((), 1)


def test_a_key_of_the_second_run_alone_is_held_against_the_nearest_of_the_first():
    (one,) = run_difference(_shapes(3), _shapes(3, 5)).functions
    assert one.only_before == ()
    (there,) = one.only_after
    assert there.changed == (ChangedPart(name="x", before="f32[3]", after="f32[5]"),)


def test_a_key_of_the_first_run_alone_reads_in_the_same_direction():
    (one,) = run_difference(_shapes(3, 5), _shapes(3)).functions
    assert one.only_before[0].changed == (ChangedPart(name="x", before="f32[5]", after="f32[3]"),)


def test_the_nearest_key_is_the_one_with_the_fewest_differences():
    before = _run(structure("x"), traced(1, 3, mode="sum"), traced(2, 4, mode="mean"))
    after = _run(structure("x"), traced(1, 3, mode="sum"), traced(2, 4, mode="mean"), traced(3, 3, mode="max"))
    (there,) = run_difference(before, after).functions[0].only_after
    assert there.changed == (ChangedPart(name="static mode", before="'sum'", after="'max'"),)


def test_counts_that_differ_over_the_same_keys_are_a_difference():
    (one,) = run_difference(_shapes(3, compiles=1), _shapes(3, compiles=2)).functions
    assert (one.before.compiles, one.after.compiles) == (1, 2)
    assert not one.only_after


def test_a_function_of_one_run_alone_is_absent_in_the_other():
    (one,) = run_difference((), _shapes(3)).functions
    assert one.before is None
    assert len(one.only_after) == 1


def _under(*texts: str) -> tuple[RunFunction, ...]:
    """One trace under each value of a setting."""
    contexts = [ContextSeen(digest=text, settings=(("jax_enable_x64", text),)) for text in texts]
    traces = [replace(traced(number, 3), context=text) for number, text in enumerate(texts, start=1)]
    return _run(structure("x"), *contexts, *traces, traces=len(texts))


def test_a_setting_that_differs_throughout_is_named_once():
    difference = run_difference(_under("False"), _under("True"))
    assert difference.settings == (ChangedPart(name="jax_enable_x64", before="False", after="True"),)
    assert difference.functions == ()


def test_a_setting_that_changes_within_a_run_is_a_part_of_its_keys():
    (one,) = run_difference(_under("False"), _under("False", "True")).functions
    (there,) = one.only_after
    assert there.changed == (ChangedPart(name="jax_enable_x64", before="False", after="True"),)


def _in_context(digest: str):
    return replace(traced(1, 3), context=digest)


def test_a_setting_that_only_one_jax_knows_is_no_difference():
    before = _run(structure("x"), ContextSeen(digest="c", settings=(("a", "1"),)), _in_context("c"))
    after = _run(structure("x"), ContextSeen(digest="c", settings=(("a", "1"), ("b", "2"))), _in_context("c"))
    assert run_difference(before, after).functions == ()


def test_static_data_of_a_node_is_named_by_its_field():
    def run(act: str):
        tree = TreeNode(kind="Model", metadata=(("act", Value(type_name="str", text=act, token=act)),))
        seen = StructureSeen(digest="sx", structure=Structure(arguments=(("model", tree),), paths=()))
        return _run(seen, replace(traced(1, 3), avals=()))

    (there,) = run_difference(run("relu"), run("tanh")).functions[0].only_after
    assert there.changed == (ChangedPart(name="model.act", before="relu", after="tanh"),)


def test_the_calling_convention_is_a_part():
    by_name = _run(structure("x"), replace(traced(1, 3), positional=0, keywords=("x",)))
    (there,) = run_difference(_shapes(3), by_name).functions[0].only_after
    assert there.changed == (ChangedPart(name=CONVENTION, before="1 by position", after="0 by position, x"),)


def test_a_component_of_the_persistent_key_that_differs_is_named():
    def run(flags: str):
        use = PersistentCacheUse(outcome="miss", components=(("program", "p"), ("XLA flags", flags)))
        return _run(structure("x"), traced(1, 3), *compiled(1, persistent=use))

    (one,) = run_difference(run("a"), run("b")).functions
    assert [(c.name, c.keys) for c in one.components] == [("XLA flags", 1)]
    assert run_difference(run("a"), run("a")).functions == ()


def test_addresses_of_objects_are_no_difference():
    assert stable_text("<AxisEnv object at 0x7fd1a8378690>") == stable_text("<AxisEnv object at 0x7ff2c09d2530>")


def test_functions_are_followed_when_their_line_or_file_changes():
    moved = Function(number=9, name="step", qualname="step", file="/home/ada/train2.py", line=99, own=True)
    after = (replace(_shapes(3)[0], function=moved),)
    assert run_difference(_shapes(3), after).same == 1


def test_functions_of_the_same_name_in_one_file_are_told_apart_by_their_order():
    first = Function(number=1, name="<lambda>", qualname="main.<lambda>", file="a.py", line=3)
    second = Function(number=2, name="<lambda>", qualname="main.<lambda>", file="a.py", line=9)
    before = (replace(_shapes(3)[0], function=first), replace(_shapes(4)[0], function=second))
    after = tuple(replace(one, function=replace(one.function, line=one.function.line + 5)) for one in before)
    assert run_difference(before, after).same == 2


def test_keys_beyond_the_limit_are_counted(monkeypatch):
    monkeypatch.setattr("stagelight.comparison.run.MOST_KEYS", 2)
    (one,) = run_difference(_shapes(3), _shapes(3, 4, 5, 6)).functions
    assert one.keys_folded == 2


def test_what_costs_most_stands_first():
    cheap = replace(_shapes(3)[0], function=replace(STEP, qualname="cheap"))
    dear = _shapes(3, 4, 5, 6)[0]
    difference = run_difference((), (cheap, replace(dear, function=replace(STEP, qualname="dear"))))
    assert [one.function.qualname for one in difference.functions] == ["dear", "cheap"]
