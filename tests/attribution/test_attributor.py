import pytest
from attribution.programs import Node, Program, f32, i32, slugs, static, value

from stagelight.attribution.attributor import Attributor
from stagelight.attribution.history import REMEMBERED, WINDOW
from stagelight.attribution.key import PARTS
from stagelight.attribution.limits import Limits
from stagelight.attribution.whole_ledger import attributions
from stagelight.model.attribution import Miss
from stagelight.model.event import CallsCounted, Compiled, Lowered, StructureSeen
from stagelight.model.structure import Structure, TreeNode


def busy():
    """A program with misses of every ledger, failures and advisories."""
    program = Program()
    program.first_call(x=f32(3), mode=static("sum"))
    program.first_call(x=f32(4), mode=static("sum"))
    program.call(x=f32(4), mode=static("sum"), lost_fast_path=True)
    program.trace(x=i32(4), mode=static("sum"), failed=True)
    program.fail()
    program.clear()
    program.first_call(x=f32(3), mode=static("sum"))
    for n in range(9):
        program.first_call(x=f32(n + 10), mode=static("mean"))
    return program


def test_what_was_said_is_not_taken_back_when_the_ledger_goes_on():
    entries = busy().entries
    whole = attributions(entries).misses
    assert len(whole) > 20
    for length in range(0, len(entries), 7):
        part = attributions(entries[:length]).misses
        assert part == whole[: len(part)]


def test_a_preview_says_what_a_trace_then_has_and_remembers_nothing():
    program = Program()
    program.trace(x=f32(3))
    traced = program.traced(x=f32(4))
    before = program.attributor.preview(traced)
    assert program.attributor.preview(traced) == before
    (miss,) = program.feed(traced)
    assert miss.causes == before
    assert program.attributor.totals()[0].traces == 2


def test_a_preview_of_a_compile():
    program = Program()
    program.first_call(x=f32(3))
    dispatched = program.dispatched(x=f32(3), options=(("inline", "True"),))
    assert slugs(program.attributor.preview_compile(dispatched)) == ["jit-options-changed"]
    program.trace(x=f32(4))
    following = program.dispatched(x=f32(4), trace=program.traces)
    assert slugs(program.attributor.preview_compile(following)) == ["first-compile"]


def test_totals():
    program = busy()
    program.feed(CallsCounted(function=1, calls=100), CallsCounted(function=1, calls=5))
    (totals,) = program.attributor.totals()
    assert (totals.traces, totals.compiles, totals.dispatch_misses) == (13, 12, 1)
    assert totals.specializations == 11
    assert totals.calls == 105
    assert totals.trace_s == 13 * 0.25
    assert (totals.lower_s, totals.compile_s) == (12 * 0.5, 12 * 2.0)
    # All but the first trace and the failed one, and the compiles that followed.
    assert totals.avoidable == 12
    assert totals.avoidable_s == 12 * 0.25 + 11 * 2.5


def test_calls_are_unknown_where_they_were_not_counted():
    assert busy().attributor.totals()[0].calls is None


def test_the_seconds_of_a_nested_trace_are_its_own():
    program = Program()
    (miss,) = program.feed(program.traced(x=f32(), trace_s=3.0, self_s=1.0))
    assert miss.seconds == 1.0


def test_specializations_are_rows_with_a_column_for_each_part_that_differed():
    program = Program()
    program.trace(x=f32(3), y=f32(), mode=static("sum"))
    program.trace(x=f32(4), y=f32(), mode=static("sum"))
    program.trace(x=f32(4), y=f32(), mode=static("mean"), self_s=9.0)
    table = program.attributor.specializations(1)
    assert table.columns == ("x", "static mode")
    costliest = table.rows[0]
    assert costliest.number == 3
    assert dict(costliest.parts) == {"x": "f32[4]", "static mode": "'mean'"}
    assert costliest.changed == ("static mode",)
    assert costliest.causes == ("static-value-changed",)
    assert (table.folded, table.folded_s) == (0, 0.0)


def test_a_column_may_be_a_node_or_a_field_of_one():
    program = Program()
    program.trace(x={"m": Node("Model", {"w": f32(3)}, {"act": value("relu")}), "l": [f32()]})
    program.trace(x={"m": Node("Model", {"w": f32(3)}, {"act": value("tanh")}), "l": [f32()]})
    program.trace(x={"m": Node("Model", {"w": f32(3)}, {"act": value("tanh")}), "l": [f32(), f32()]})
    table = program.attributor.specializations(1)
    assert table.columns == ("x['m'].act", "x['l']")
    rows = {row.number: dict(row.parts) for row in table.rows}
    assert rows[1] == {"x['m'].act": "'relu'", "x['l']": "list of 1"}
    assert rows[3] == {"x['m'].act": "'tanh'", "x['l']": "list of 2"}


def test_a_compile_adds_to_the_row_of_its_trace():
    program = Program()
    program.first_call(x=f32(3))
    (row,) = program.attributor.specializations(1).rows
    assert row.seconds == 0.25 + 2.5


def test_rows_beyond_the_limit_are_folded_and_the_costliest_kept():
    program = Program(limits=Limits(rows=3))
    for n in range(100):
        program.trace(x=f32(n), self_s=1.0 if n % 10 else 5.0 + n)
    table = program.attributor.specializations(1)
    assert [row.seconds for row in table.rows] == [95.0, 85.0, 75.0]
    assert table.folded == 97
    assert table.folded_s == 90 * 1.0 + sum(5.0 + n for n in range(0, 70, 10))


def test_lowerings_belong_to_their_own_compile():
    program = Program()
    program.trace(x=f32(3), under=("lower",))
    program.trace(x=f32(4), under=("lower",))
    about = {"module": "jit_step", "function": 1, "under": ("lower",)}
    program.feed(Lowered(at_s=1.0, lower_s=1.0, trace=1, **about), Lowered(at_s=2.0, lower_s=2.0, trace=2, **about))
    misses = program.feed(
        Compiled(at_s=3.0, compile_s=4.0, trace=2, **about), Compiled(at_s=4.0, compile_s=4.0, trace=1, **about)
    )
    assert [miss.lower_s for miss in misses] == [2.0, 1.0]


def test_lowering_without_a_compile_counts_too():
    program = Program()
    program.trace(x=f32(3), under=("lower",))
    program.feed(Lowered(at_s=1.0, lower_s=2.0, module="jit(step)", function=1, trace=1))
    (totals,) = program.attributor.totals()
    assert (totals.lower_s, totals.compiles) == (2.0, 0)


@pytest.mark.parametrize("module", ["jit_helper", "jit(helper)"])
def test_a_module_of_no_known_function_goes_by_its_own_name(module):
    program = Program()
    (miss,) = program.feed(Compiled(at_s=1.0, compile_s=1.0, module=module))
    assert miss.function.name == "helper"
    assert [totals.function.name for totals in program.attributor.totals()] == ["helper"]


def test_a_dispatch_whose_beginning_is_missing_is_read_over():
    from stagelight.model.event import DispatchEnded

    assert Program().feed(DispatchEnded(at_s=1.0, dispatch=7, dispatch_s=0.1)) == []


def test_entries_may_refer_to_what_the_ledger_does_not_define():
    program = Program()
    (miss,) = program.feed(program.traced(x=f32(), function=77, structure="none", context="none"))
    assert miss.function.name == "unknown"
    assert slugs(miss.causes) == ["first-trace"]


def test_what_is_compared_does_not_grow_with_the_number_of_specializations(monkeypatch):
    from stagelight.attribution import history

    compared = []
    count = history.distance
    monkeypatch.setattr(history, "distance", lambda *keys: (compared.append(1), count(*keys))[1])
    program = Program()
    most = 0
    for n in range(400):
        del compared[:]
        program.trace(x=f32(n), y=i32(n))
        most = max(most, len(compared))
    assert 0 < most <= WINDOW + len(PARTS)


def test_only_the_latest_keys_are_kept_whole(monkeypatch):
    from stagelight.attribution import history

    monkeypatch.setattr(history, "REMEMBERED", 10)
    program = Program()
    for n in range(300):
        program.trace(x=f32(n))
    past = program.attributor._traces.past(1).history
    assert 10 * len(PARTS) <= len(past.left_out) <= 2 * 10 * len(PARTS)
    assert len(past.window) == WINDOW
    assert len(past.whole) == 300
    program.clear()
    assert slugs(program.trace(x=f32(0))) == ["cache-cleared"]
    assert REMEMBERED >= 64


def test_a_part_that_differs_alone_is_found_however_long_ago_its_key_was():
    program = Program()
    program.trace(x=f32(0), mode=static("sum"))
    for n in range(1, 200):
        program.trace(x=f32(n), mode=static("sum"))
    causes = program.trace(x=f32(0), mode=static("mean"))
    assert slugs(causes) == ["static-value-changed"]


def test_each_entry_of_another_process_is_marked():
    program = Program()
    attributor = Attributor(process=3)
    traced = program.traced(x=f32())
    misses = [found for entry in (*program.entries, traced) for found in attributor.feed(entry)]
    assert [miss.process for miss in misses if isinstance(miss, Miss)] == [3]


@pytest.mark.parametrize("kind", ["trace", "compile", "dispatch"])
def test_the_user_s_own_line_is_the_call(kind):
    program = busy()
    misses = [miss for miss in attributions(program.entries).misses if miss.ledger == kind]
    assert misses
    if kind != "compile":
        assert all(miss.call.line == 40 for miss in misses)


def test_a_tree_deeper_than_the_stack_of_python_is_still_compared():
    def nested(inner):
        tree = TreeNode(kind="list", keys=(), children=()) if inner is None else TreeNode(kind=inner)
        for _ in range(3000):
            tree = TreeNode(kind="list", keys=("[0]",), children=(tree,))
        return Structure(arguments=(("x", tree),), paths=())

    program = Program()
    for digest, inner in (("a", None), ("b", "None")):
        program.feed(StructureSeen(digest=digest, structure=nested(inner)))
    program.trace(x=f32(), structure="a", avals=())
    (cause,) = program.trace(x=f32(), structure="b", avals=())
    assert (cause.slug, cause.before, cause.after) == ("tree-structure-changed", "list of 0", "None")
    assert program.attributor.specializations(1).columns == ("x" + "[0]" * 3000,)
