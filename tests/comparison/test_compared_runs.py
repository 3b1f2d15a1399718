import msgspec
import pytest
from attribution.programs import HERE, Node, Program, f32, i32, static, thing, value

from stagelight.comparison import compared_runs as module
from stagelight.comparison.compared_runs import compared_runs
from stagelight.comparison.run_gathering import RunGathering
from stagelight.model.comparison import Counts, PartChange
from stagelight.model.event import Compiled, PersistentCacheUse
from stagelight.model.ledger import Header, JaxSeen


def gathered(program, label="a", **header):
    gathering = RunGathering(label)
    gathering.begin(Header(schema=1, stagelight="0.1.0", **header))
    for entry in program.entries:
        gathering.feed(entry)
    return gathering.run()


def run_of(*calls, label="a", **header):
    """A run that traced and compiled the made-up function once for each of these calls."""
    program = Program()
    for call in calls:
        program.first_call(**call)
    return gathered(program, label, **header)


def compiled_with(**components):
    program = Program()
    program.trace(x=f32(3))
    use = PersistentCacheUse(outcome="miss, written", components=tuple(components.items()))
    program.feed(Compiled(at_s=1.0, compile_s=2.0, module="jit_step", function=1, trace=1, persistent=use))
    return gathered(program)


def test_equal_runs_differ_in_nothing():
    comparison = compared_runs(run_of({"x": f32(3)}), run_of({"x": f32(3)}))
    assert (comparison.one_sided, comparison.components, comparison.settings) == ((), (), ())
    (function,) = comparison.functions
    assert (function.keys_before, function.keys_after, function.keys_shared) == (1, 1, 1)
    assert function.before == function.after == Counts(traces=1, compiles=1, trace_s=0.25, lower_s=0.5, compile_s=2.0)


def test_a_specialization_that_only_the_later_run_has_says_which_part_differs():
    comparison = compared_runs(
        run_of({"x": f32(32), "mode": static("sum")}),
        run_of({"x": f32(32), "mode": static("sum")}, {"x": f32(17), "mode": static("sum")}),
    )
    (key,) = comparison.one_sided
    assert (key.side, key.is_function_absent) == ("after", False)
    assert key.changes == (PartChange(name="x", before="f32[32]", after="f32[17]"),)
    assert key.key.counts.compiles == 1
    assert key.key.call == HERE


def test_before_and_after_keep_their_sides():
    comparison = compared_runs(run_of({"x": f32(17)}), run_of({"x": i32(17)}))
    changes = {key.side: key.changes for key in comparison.one_sided}
    assert changes["before"] == (PartChange(name="x", before="f32[17]", after="i32[17]"),)
    assert changes["after"] == (PartChange(name="x", before="f32[17]", after="i32[17]"),)


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ({"mode": static("sum")}, {"mode": static("mean")}, "static mode"),
        ({"mode": static(1)}, {"mode": static(True)}, "static mode"),
        ({"y": f32()}, {"y": f32(), "keywords": ("y",)}, "calling convention"),
        ({"y": Node("M", {"w": f32()}, {"act": value(1)})}, {"y": Node("M", {"w": f32()}, {"act": value(2)})}, "y.act"),
        ({"y": f32()}, {"y": f32(weak=True)}, "y"),
    ],
)
def test_each_part_is_named(before, after, name):
    comparison = compared_runs(run_of({"x": f32(), **before}), run_of({"x": f32(), **after}))
    assert [[change.name for change in key.changes] for key in comparison.one_sided] == [[name], [name]]


def test_a_structure_is_named_by_its_nodes_and_leaves():
    comparison = compared_runs(run_of({"x": [f32()]}), run_of({"x": [f32()] * 2}))
    (key,) = [key for key in comparison.one_sided if key.side == "after"]
    assert key.changes == (
        PartChange(name="x", before="list of 1", after="list of 2"),
        PartChange(name="x[1]", before="", after="f32[]"),
    )


def test_objects_of_two_processes_are_compared_by_their_contents():
    runs = [run_of({"x": f32(), "mode": static(thing(number, width=4))}) for number in (1, 2)]
    assert compared_runs(*runs).one_sided == ()
    other = run_of({"x": f32(), "mode": static(thing(1, width=5))})
    assert len(compared_runs(runs[0], other).one_sided) == 2


def test_addresses_do_not_count():
    runs = [run_of({"x": f32(), "settings": {"axis_env": f"<AxisEnv object at {at}>"}}) for at in ("0x1f", "0x2e")]
    assert compared_runs(*runs).one_sided == ()


def test_a_setting_in_which_the_runs_differ_throughout_is_named_once():
    sizes = [{"x": f32(n)} for n in range(3)]
    runs = [
        run_of(*({**call, "settings": {"jax_enable_x64": flag, "mesh": "Mesh()"}} for call in sizes))
        for flag in ("False", "True")
    ]
    comparison = compared_runs(*runs)
    assert comparison.settings == (PartChange(name="setting jax_enable_x64", before="False", after="True"),)
    assert comparison.one_sided == ()


def test_a_setting_that_varies_within_a_run_stays_a_part_of_the_key():
    both = run_of(*({"x": f32(), "settings": {"jax_enable_x64": flag}} for flag in ("False", "True")))
    one = run_of({"x": f32(), "settings": {"jax_enable_x64": "False"}})
    comparison = compared_runs(both, one)
    assert comparison.settings == ()
    assert [key.side for key in comparison.one_sided] == ["before"]


def test_a_function_that_only_one_run_has():
    empty = gathered(Program())
    (key,) = compared_runs(run_of({"x": f32()}), empty).one_sided
    assert (key.side, key.is_function_absent, key.changes) == ("before", True, ())


def test_lines_may_move_and_folders_differ():
    before = run_of({"x": f32()}, folder="somewhere")
    program = Program()
    program.entries[0] = msgspec.structs.replace(
        program.entries[0],
        function=msgspec.structs.replace(program.function, file="elsewhere/project/train.py", line=99),
    )
    program.first_call(x=f32())
    comparison = compared_runs(before, gathered(program, folder="elsewhere"))
    (function,) = comparison.functions
    assert function.keys_shared == 1


def test_the_component_of_the_persistent_cache_key_that_differs():
    comparison = compared_runs(compiled_with(program="1", jaxlib="2"), compiled_with(program="1", jaxlib="3"))
    (change,) = comparison.components
    assert (change.name, change.keys, change.of, change.functions) == ("jaxlib", 1, 1, ("step",))
    assert (change.before, change.after) == ("2", "3")


def test_inspections_and_failed_traces_make_no_specialization():
    program = Program()
    program.trace(x=f32(3), under=("eval_shape",))
    program.trace(x=f32(4), failed=True)
    assert gathered(program).functions == ()


def test_a_jaxpr_found_elsewhere_is_a_key_without_a_trace():
    program = Program()
    program.feed(program.traced(x=f32(3), ran=False))
    (function,) = gathered(program).functions
    assert (len(function.keys), function.counts.traces) == (1, 0)


def test_a_compile_whose_trace_is_unknown_goes_by_its_module():
    program = Program()
    program.feed(Compiled(at_s=1.0, compile_s=2.0, module="jit_helper"))
    (function,) = gathered(program).functions
    assert (function.name, function.counts.compiles) == ("helper", 1)


def test_several_ledgers_make_one_run():
    gathering = RunGathering("pod")
    for host in ("a", "b"):
        program = Program()
        program.first_call(x=f32(3))
        gathering.begin(Header(schema=1, stagelight="0.1.0", host=host))
        for entry in (JaxSeen(jax="0.12.0"), *program.entries):
            gathering.feed(entry)
    run = gathering.run()
    assert (run.processes, run.host, run.jax) == (2, "a", "0.12.0")
    assert run.counts.traces == 2
    assert len(run.functions[0].keys) == 1


def test_the_costliest_come_first_and_the_rest_is_counted(monkeypatch):
    monkeypatch.setattr(module, "MOST_ONE_SIDED", 2)
    program = Program()
    for n in range(5):
        program.trace(x=f32(n), self_s=float(n))
    comparison = compared_runs(gathered(Program()), gathered(program))
    assert [key.key.counts.trace_s for key in comparison.one_sided] == [4.0, 3.0]
    assert comparison.folded == 3


def test_functions_of_one_name_are_paired_in_the_order_of_their_lines():
    def two(first, second):
        program = Program()
        for number, line in ((1, first), (2, second)):
            function = msgspec.structs.replace(program.function, number=number, line=line, qualname="<lambda>")
            program.feed(type(program.entries[0])(function=function))
            program.feed(program.traced(x=f32(number), function=number))
        return gathered(program)

    comparison = compared_runs(two(10, 20), two(11, 25))
    assert comparison.one_sided == ()
    assert [f.keys_shared for f in comparison.functions] == [1, 1]
