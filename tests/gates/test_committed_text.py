"""What is committed names no machine and no package registry, and promises nothing."""

import re
import subprocess

import pytest
from gates.tree import ROOT

# Written in pieces, so that this file does not hold what it looks for.
FORBIDDEN = {
    "a package registry's address": "|".join(
        ["py" + "pi[.]org", "python" + "hosted", "registry.npm" + "js", "deb.deb" + "ian"]
    ),
    "a path of one machine": "|".join([r"(?<![\w.~-])/(root|wo" + "rk|opt/py" + "pi)/", "[.]pyenv/ver" + "sions"]),
    "an open promise": "|".join([r"\bTO" + r"DO\b", r"\bFIX" + r"ME\b", r"\bX" + r"XX\b"]),
}


def committed_files() -> list[str]:
    outcome = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if outcome.returncode:
        pytest.skip("not a git checkout")
    return [name for name in outcome.stdout.split("\0") if name and (ROOT / name).is_file()]


def found(text: str) -> list[str]:
    """What in ``text`` must not be committed, each with the line it is on."""
    return [
        f"{what}, line {number}: {line.strip()[:120]}"
        for what, pattern in FORBIDDEN.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if re.search(pattern, line)
    ]


def test_nothing_forbidden_is_committed():
    complaints = []
    for name in committed_files():
        try:
            text = (ROOT / name).read_text()
        except UnicodeDecodeError:
            continue
        complaints += [f"{name}: {complaint}" for complaint in found(text)]
    assert complaints == []


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://py" + "pi.org/simple",
        "cd /wo" + "rk/main",
        "python = '/ro" + "ot/.pyenv/ver" + "sions/3.13.0/bin/python'",
        "# TO" + "DO: later",
    ],
)
def test_that_test_sees(line: str):
    assert found("first line\n" + line)
