"""The fixture that watches for leftovers, seen to fail."""

from gates.tree import ROOT

pytest_plugins = ["pytester"]


def outcome_of(pytester, body: str):
    """Run one test with the project's own conftest."""
    pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text())
    pytester.makepyfile(f"import sys\ndef test_it():\n    {body}\n")
    return pytester.runpytest_subprocess("-p", "no:cacheprovider")


def test_a_clean_test_passes(pytester):
    outcome_of(pytester, "pass").assert_outcomes(passed=1)


def test_a_hook_left_behind_fails(pytester):
    outcome = outcome_of(pytester, "sys.excepthook = print")
    outcome.assert_outcomes(passed=1, errors=1)
    outcome.stdout.fnmatch_lines(["*left behind: sys.excepthook*"])


def test_a_monitoring_tool_left_behind_fails(pytester):
    outcome = outcome_of(pytester, "sys.monitoring.use_tool_id(4, 'forgotten')")
    outcome.assert_outcomes(passed=1, errors=1)
    outcome.stdout.fnmatch_lines(["*left behind: tools of sys.monitoring*"])
