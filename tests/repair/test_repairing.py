"""Repairs are offered where they should be and refused where they must be; each one offered was run on both sides."""

import ast
import importlib.util
import pathlib
import re
import sys

import pytest

from stagelight.repair.repairing import repair_report
from stagelight.repair.source_text import applied

FOLDER = pathlib.Path(__file__).parents[1] / "fixtures" / "repairs"
_CASE = re.compile(r"# call: (.+)\n# expect: (offered|refused) (.+)\n")
CASES = [(p, *found) for p in sorted(FOLDER.glob("*.py")) for found in _CASE.findall(p.read_text())]


def module_of(path):
    name = f"repaired_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def report_of(path, call):
    names, node = vars(module_of(path)), ast.parse(call, mode="eval").body
    function, *arguments = (eval(ast.unparse(part), names) for part in (node.func, *node.args))
    return repair_report(function, arguments)


@pytest.mark.parametrize(("path", "call", "verdict", "wanted"), CASES, ids=lambda v: str(v).split("(")[0][-30:])
def test_verdict(path, call, verdict, wanted):
    report = report_of(path, call)
    if verdict == "refused":
        assert report.offered == ()
        assert any(wanted in refused.reason for refused in report.refused)
        return
    kinds = [repair.kind for repair in report.offered]
    assert [kind for kind in wanted.split(", ") if kind not in kinds] == []
    for repair in report.offered:
        assert repair.coverage.inputs >= 8
        assert all(min(test.true, test.false) >= 3 for test in repair.coverage.tests)
        repaired = applied(path.read_text(), repair.edits)
        ast.parse(repaired)
        assert comments(repaired) >= comments(path.read_text())


def comments(text):
    return set(re.findall(r"# .*", text))


def test_there_are_as_many_cases_as_were_chosen():
    assert len(CASES) == 56


@pytest.mark.parametrize("call", ["few(jnp.zeros(3), jnp.ones((4, 3)))", "stable(jnp.ones(3))"])
def test_what_costs_little_is_left_alone(call):
    report = report_of(FOLDER / "traced_and_costly.py", call)
    assert (report.offered, report.refused, report.slug) == ((), (), "")
