"""Every bad program is found on its marked lines, and nothing else is said: about good programs, nothing at all."""

import pytest
from staging_programs import read_programs

from stagelight.lint.mistakes import find_mistakes
from stagelight.lint.program import Program
from stagelight.lint.source_module import SourceModule

PROGRAMS = read_programs("*.md")


def _found(text):
    module = SourceModule(name="program", path="program.py", text=text)
    findings = find_mistakes(module, Program(lambda name: None)).findings
    return sorted((finding.span.line, finding.slug) for finding in findings)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.title)
def test_exactly_the_marked_mistakes_are_found(program):
    assert _found(program.text) == sorted(program.marks)


def test_there_are_enough_programs_of_both_kinds():
    reports = [p for p in PROGRAMS if p.title.startswith("reports")]
    families = [p for p in PROGRAMS if p.title.startswith("families")]
    assert len(reports) >= 100
    assert len(families) >= 100
    assert all(p.source for p in reports)
    assert sum(bool(p.marks) for p in PROGRAMS) > len(PROGRAMS) / 3
    assert sum(not p.marks for p in PROGRAMS) > len(PROGRAMS) / 3


def test_every_rule_has_a_program_that_it_finds():
    from stagelight.lint.rule_table import RULES

    marked = {slug for program in PROGRAMS for _, slug in program.marks}
    assert marked == {rule.slug for rule in RULES}
