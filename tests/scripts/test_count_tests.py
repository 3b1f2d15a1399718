"""The closing line of the test command adds up several runs."""

import subprocess
import sys

from gates.tree import ROOT

SUITE = '<testsuites><testsuite tests="{0}" failures="{1}" errors="{2}" skipped="{3}"/></testsuites>'


def test_counts_of_all_files_are_added(tmp_path):
    (tmp_path / "first.xml").write_text(SUITE.format(10, 1, 1, 2))
    (tmp_path / "second.xml").write_text(SUITE.format(5, 0, 0, 1))
    command = [sys.executable, ROOT / "scripts" / "count_tests.py", tmp_path / "first.xml", tmp_path / "second.xml"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert printed == "total: 10 passed, 2 failed, 3 skipped\n"
