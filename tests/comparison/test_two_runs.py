import msgspec
import pytest
from attribution.programs import Node, Program, f32, i32, static, thing, value

from stagelight.comparison import run
from stagelight.comparison.run import KeyReader
from stagelight.comparison.run_difference import run_difference
from stagelight.model.attribution import FunctionTotals
from stagelight.model.comparison import ChangedPart
from stagelight.model.event import Compiled, FunctionSeen, Lowered, PersistentCacheUse


def functions_of(program):
    reader = KeyReader()
    for entry in program.entries:
        reader.feed(entry)
    return reader.functions(program.attributor.totals())


def run_of(*calls):
    """A run that traced and compiled the made-up function once for each of these calls."""
    program = Program()
    for call in calls:
        program.first_call(**call)
    return functions_of(program)


def compiled_with(**components):
    program = Program()
    program.trace(x=f32(3))
    use = PersistentCacheUse(outcome="miss, written", components=tuple(components.items()))
    program.feed(Compiled(at_s=1.0, compile_s=2.0, module="jit_step", function=1, trace=1, persistent=use))
    return functions_of(program)


def moved(functions, **place):
    return [msgspec.structs.replace(one, function=msgspec.structs.replace(one.function, **place)) for one in functions]


def changes(before, after):
    """What differs at the keys that only one run has."""
    (function,) = run_difference(before, after).functions
    return [
        [(part.name, part.before, part.after) for part in there.changed]
        for there in (*function.only_before, *function.only_after)
    ]


def test_equal_runs_differ_in_nothing():
    difference = run_difference(run_of({"x": f32(3)}), run_of({"x": f32(3)}))
    assert (difference.functions, difference.same, difference.settings) == ((), 1, ())


def test_a_key_that_only_the_later_run_has_says_which_part_differs():
    before = run_of({"x": f32(32), "mode": static("sum")})
    after = run_of({"x": f32(32), "mode": static("sum")}, {"x": f32(17), "mode": static("sum")})
    (function,) = run_difference(before, after).functions
    (there,) = function.only_after
    assert function.only_before == ()
    assert there.changed == (ChangedPart(name="x", before="f32[32]", after="f32[17]"),)
    assert there.key.seconds == 0.25 + 0.5 + 2.0
    assert (function.before.traces, function.after.traces) == (1, 2)


def test_before_and_after_keep_their_sides():
    expected = [("x", "f32[17]", "i32[17]")]
    assert changes(run_of({"x": f32(17)}), run_of({"x": i32(17)})) == [expected, expected]


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ({"mode": static("sum")}, {"mode": static("mean")}, "static mode"),
        ({"mode": static(1)}, {"mode": static(True)}, "static mode"),
        ({"y": f32()}, {"y": f32(), "keywords": ("y",)}, "calling convention"),
        ({"y": Node("M", {"w": f32()}, {"act": value(1)})}, {"y": Node("M", {"w": f32()}, {"act": value(2)})}, "y.act"),
        ({"y": [f32()]}, {"y": (f32(),)}, "y"),
        ({"y": f32()}, {"y": f32(weak=True)}, "y"),
    ],
)
def test_each_part_is_named(before, after, name):
    found = changes(run_of({"x": f32(), **before}), run_of({"x": f32(), **after}))
    assert [[part[0] for part in parts] for parts in found] == [[name], [name]]


def test_options_of_the_jit_are_parts():
    inline = {"x": f32(), "trace_options": (("inline", "True"),)}
    assert changes(run_of({"x": f32()}), run_of(inline)) == [[("option inline", "–", "True")]] * 2


def test_a_longer_list_is_named_by_its_node_and_its_new_leaf():
    expected = [("x", "list of 1", "list of 2"), ("x[1]", "–", "f32[]")]
    found = changes(run_of({"x": [f32()]}), run_of({"x": [f32()] * 2}))
    assert [sorted(parts) for parts in found] == [expected, expected]


def test_objects_of_two_processes_are_compared_by_their_contents():
    runs = [run_of({"x": f32(), "mode": static(thing(number, width=4))}) for number in (1, 2)]
    assert run_difference(*runs).functions == ()
    other = run_of({"x": f32(), "mode": static(thing(1, width=5))})
    assert len(changes(runs[0], other)) == 2


def test_addresses_do_not_count():
    runs = [run_of({"x": f32(), "settings": {"axis_env": f"<AxisEnv object at {at}>"}}) for at in ("0x1f", "0x2e")]
    assert run_difference(*runs).functions == ()


def test_a_setting_in_which_the_runs_differ_throughout_is_named_once():
    runs = [
        run_of(*({"x": f32(n), "settings": {"jax_enable_x64": flag, "mesh": "Mesh()"}} for n in range(3)))
        for flag in ("False", "True")
    ]
    difference = run_difference(*runs)
    assert difference.settings == (ChangedPart(name="jax_enable_x64", before="False", after="True"),)
    assert difference.functions == ()


def test_a_setting_that_varies_within_a_run_stays_a_part_of_the_key():
    both = run_of(*({"x": f32(), "settings": {"jax_enable_x64": flag}} for flag in ("False", "True")))
    one = run_of({"x": f32(), "settings": {"jax_enable_x64": "False"}})
    assert run_difference(both, one).settings == ()
    assert changes(both, one) == [[("jax_enable_x64", "True", "False")]]


def test_a_function_that_only_one_run_has():
    (function,) = run_difference(run_of({"x": f32()}), ()).functions
    assert (function.after, len(function.only_before), function.only_before[0].changed) == (None, 1, ())


def test_the_same_key_traced_again_is_a_difference_of_counts():
    (function,) = run_difference(run_of({"x": f32()}), run_of({"x": f32()}, {"x": f32()})).functions
    assert (function.only_before, function.only_after) == ((), ())
    assert (function.before.traces, function.after.traces) == (1, 2)


def test_lines_may_move():
    assert run_difference(run_of({"x": f32()}), moved(run_of({"x": f32()}), line=99)).functions == ()


def test_a_function_that_is_alone_with_its_name_may_move_to_another_file():
    after = moved(run_of({"x": f32()}), file="project/steps.py")
    assert run_difference(run_of({"x": f32()}), after).functions == ()


def test_functions_of_one_name_are_paired_in_the_order_of_their_lines():
    def two(first, second):
        program = Program()
        for number, line in ((1, first), (2, second)):
            function = msgspec.structs.replace(program.function, number=number, line=line, qualname="<lambda>")
            program.feed(FunctionSeen(function=function), program.traced(x=f32(number), function=number))
        return functions_of(program)

    assert run_difference(two(10, 20), two(11, 25)).functions == ()


def test_the_component_of_the_persistent_cache_key_that_differs():
    runs = compiled_with(program="1", jaxlib="2"), compiled_with(program="1", jaxlib="3")
    (function,) = run_difference(*runs).functions
    (component,) = function.components
    assert (component.name, component.keys, component.before, component.after) == ("jaxlib", 1, "2", "3")


def test_inspections_and_failed_traces_leave_no_key():
    program = Program()
    program.trace(x=f32(3), under=("eval_shape",))
    program.trace(x=f32(4), failed=True)
    assert [one.keys for one in functions_of(program)] == [()]


def test_a_lowering_belongs_to_the_key_of_its_trace():
    program = Program()
    program.trace(x=f32(3), under=("lower",))
    program.feed(Lowered(at_s=1.0, lower_s=2.0, module="jit_step", function=1, trace=1))
    (function,) = functions_of(program)
    assert [key.seconds for key in function.keys] == [2.25]


def test_keys_beyond_a_limit_are_counted(monkeypatch):
    monkeypatch.setattr(run, "MOST_KEYS", 3)
    many = run_of(*({"x": f32(n)} for n in range(5)))
    assert [(len(one.keys), one.keys_folded) for one in many] == [(3, 2)]
    (function,) = run_difference((), many).functions
    assert function.keys_folded == 2


def test_the_costliest_difference_comes_first():
    (one,) = run_of({"x": f32()})
    totals = FunctionTotals(function=one.function, traces=1, trace_s=99.0)
    (other,) = moved([msgspec.structs.replace(one, totals=totals)], qualname="slow")
    difference = run_difference((), (one, other))
    assert [found.function.qualname for found in difference.functions] == ["slow", "step"]
