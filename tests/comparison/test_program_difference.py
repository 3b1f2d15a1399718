"""Two kept programs, held against each other line by line."""

import pytest

from stagelight.comparison.program_difference import program_difference
from stagelight.comparison.program_text import ProgramText, split_locations

PROGRAM = """\
#loc1 = loc("x")
module @jit_step attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32> loc("x"), %arg1: tensor<3xf32> loc("y")) -> (tensor<3xf32>) {
    %cst = stablehlo.constant dense<2.0> : tensor<3xf32> loc(#loc)
    %0 = stablehlo.sine %arg0 : tensor<3xf32> loc(#loc8)
    %1 = stablehlo.cosine %arg1 : tensor<3xf32> loc(#loc9)
    %2 = stablehlo.add %0, %1 : tensor<3xf32> loc(#loc8)
    return %2 : tensor<3xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("/home/ada/train.py":7:11 to :20)
#loc3 = loc("/home/ada/train.py":30:4 to :9)
#loc4 = loc("step"(#loc2))
#loc5 = loc("main"(#loc3))
#loc6 = loc(callsite(#loc4 at #loc5))
#loc8 = loc("jit(step)/sin"(#loc6))
#loc9 = loc("jit(step)/cos (of \\"y\\")"(#loc6))
"""


def changed(*replaced):
    text = PROGRAM
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    return program_difference(PROGRAM, text, module="jit(step)")


def test_a_program_does_not_differ_from_itself():
    assert changed() is None


def test_numbers_of_aliases_are_no_difference():
    assert changed(("#loc8", "#loc77"), ("#loc6", "#loc78")) is None


def test_a_line_says_its_operation_and_the_innermost_place_that_it_comes_from():
    program = ProgramText(PROGRAM)
    index = next(i for i, line in enumerate(program.lines) if "sine" in line)
    assert (program.operation(index), program.place(index)) == ("jit(step)/sin", "/home/ada/train.py:7")
    assert (program.numbers[index], program.place(0)) == (5, "")


def test_locations_go_and_parentheses_in_quotes_stay():
    assert split_locations('a loc("f(x"(#loc1)) b loc(#loc2)') == ("a b", "#loc2")
    assert split_locations("no location") == ("no location", "")


@pytest.mark.parametrize(
    ("replaced", "origin", "before", "after"),
    [
        ([("dense<2.0>", "dense<3.0>")], "constants", "%cst = stablehlo.constant dense<2.0>", "dense<3.0>"),
        ([("@jit_step", "@jit_other")], "names", "module @jit_step", "module @jit_other"),
        ([('%0, %1 : tensor<3xf32> loc', '%1, %0 : tensor<3xf32> loc')], "operations", "add %0, %1", "add %1, %0"),
        ([("sine %arg0", "tanh %arg0")], "operations", "stablehlo.sine", "stablehlo.tanh"),
        ([("/home/ada/train.py", "/srv/train.py")], "source locations", "stablehlo.sine", "stablehlo.sine"),
    ],
    ids=["constants", "names", "operands", "operations", "source locations"],
)  # fmt: skip
def test_what_a_difference_comes_from(replaced, origin, before, after):
    found = changed(*replaced)
    assert found.origin == origin
    assert before in found.before[0].text
    assert after in found.after[0].text


def test_paths_and_line_numbers_are_told_apart():
    assert "paths" in changed(("/home/ada/train.py", "/srv/train.py")).detail
    assert "line numbers" in changed((":7:11 to :20", ":8:11 to :20")).detail


def test_the_same_lines_in_another_order():
    lines = PROGRAM.splitlines()
    lines[4], lines[5] = lines[5], lines[4]
    swapped = program_difference(PROGRAM, "\n".join(lines), digests=("a", "b"))
    assert (swapped.origin, swapped.differing, swapped.digest_before) == ("order", 2, "a")
    assert [line.number for line in swapped.before] == [5, 6]


def test_a_line_more_is_told_at_its_place():
    lines = PROGRAM.splitlines()
    longer = "\n".join([*lines[:6], "    %9 = stablehlo.tanh %1 : tensor<3xf32> loc(#loc8)", *lines[6:]])
    found = program_difference(PROGRAM, longer)
    assert (found.before, [line.number for line in found.after], found.differing) == ((), [7], 1)


def test_a_long_constant_is_cut_around_where_it_differs():
    values = [str(n) for n in range(500)]
    before = PROGRAM.replace("dense<2.0>", f"dense<[{', '.join(values)}]>")
    values[400] = "-1"
    found = program_difference(before, PROGRAM.replace("dense<2.0>", f"dense<[{', '.join(values)}]>"))
    assert "399, 400, 401" in found.before[0].text
    assert "399, -1, 401" in found.after[0].text
    assert len(found.after[0].text) < 200


@pytest.mark.parametrize("text", ["", "\n", "loc(", 'loc("', "#loc1 = loc(#loc1)\nx loc(#loc1)", "%0 = x loc(#loc9)"])
def test_what_is_no_program_raises_nothing(text):
    found = program_difference(PROGRAM, text)
    assert found is not None
    assert program_difference(text, text) is None
