"""One regression for each avoidable cause, planted in the example program: caught by its lock, and by a guard?

Decides whether a lock file and a guard are enough to keep a program repaired. The program is the repaired digits
example, shortened to two epochs of 250 images; each regression is an edit that a person might make. The lock is written
once from the program as it is; each edited program is verified against it (``stagelight verify``), and run once more
under ``no_retrace(action="warn")``, which tells of each miss. Two avoidable causes cannot be planted; the end says why.

    python bench/lock_regressions.py
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from digits_regressions import BASE, NOT_PLANTED, REGRESSIONS, edited

from stagelight.attribution.registry import CAUSES
from stagelight.model.attribution import EXPECTED_CAUSES

SOURCE = Path(__file__).parents[1] / "src"
GUARDED = """
import re, runpy, warnings, stagelight
main = runpy.run_path("train.py")["main"]
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    with stagelight.no_retrace(action="warn"):
        main()
said = [str(one.message) for one in told if issubclass(one.category, stagelight.RetraceWarning)]
print("TOLD", *[slug for text in said for slug in re.findall(r"^  cause +([a-z-]+)", text, re.MULTILINE)])
"""


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with two devices."""
    environment = os.environ | {
        "PYTHONPATH": str(SOURCE), "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
    }  # fmt: skip
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def verified(folder: Path) -> tuple[str, list[str]]:
    """What ``verify`` said of the program in a folder: how it ended, and the causes that were added."""
    ended = python(folder, "-m", "stagelight", "verify", "--format", "json")
    if ended.returncode == 2:
        return ended.stderr.strip().splitlines()[-1][:80], []
    changes = json.loads(ended.stdout)["changes"]
    return str(ended.returncode), [c["subject"] for c in changes if c["kind"] == "cause-added"]


def guarded(folder: Path) -> list[str]:
    """The causes that a guard told of, or none."""
    ended = python(folder, "-c", GUARDED)
    said = [line for line in ended.stdout.splitlines() if line.startswith("TOLD")]
    return said[0].split()[1:] if said else ([] if ended.returncode == 0 else [ended.stderr.strip()[-80:]])


def planted(slug: str, folder: Path) -> tuple[bool, bool]:
    """Plant one regression, and print what was said of it."""
    (folder / "train.py").write_text(edited(slug))
    exit_code, added = verified(folder)
    stopped = guarded(folder)
    marks = slug in added, slug in stopped
    words = ["caught" if mark else "MISSED" for mark in marks]
    others = ", ".join(other for other in added if other != slug) or "–"
    print(f"{slug:24} {words[0]:8} {words[1]:8} verify exit {exit_code}; beside it: {others}", flush=True)
    if not all(marks):
        print(f"{'':24} verify {added}, guard {stopped}", flush=True)
    return marks


def main() -> None:
    """Plant every regression in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="slugs, separated by commas")
    chosen = [slug for slug in parser.parse_args().only.split(",") if slug] or list(REGRESSIONS)
    import jax

    print(f"JAX {jax.__version__}; the digits example, repaired, with one edit at a time")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train.py").write_text(BASE)
        locked = python(folder, "-m", "stagelight", "lock", "train.py")
        if locked.returncode:
            raise SystemExit(locked.stderr)
        print(f"as it is: {locked.stderr.strip().splitlines()[-1]} verify exit {verified(folder)[0]}, "
              f"guard {guarded(folder) or 'silent'}")  # fmt: skip
        print(f"{'regression':24} {'verify':8} {'guard':8}")
        marks = [planted(slug, folder) for slug in chosen]
    avoidable = {
        rule.page.slug
        for rule in CAUSES
        if (rule.in_trace or rule.in_compile) and rule.page.slug not in EXPECTED_CAUSES
    }
    print(f"{sum(m[0] for m in marks)} of {len(marks)} caught by verify, {sum(m[1] for m in marks)} by a guard")
    for slug, reason in NOT_PLANTED.items():
        print(f"not planted: {slug}: {reason}")
    if len(chosen) == len(REGRESSIONS) and avoidable != REGRESSIONS.keys() | NOT_PLANTED.keys():
        raise SystemExit(f"no word of {avoidable ^ (REGRESSIONS.keys() | NOT_PLANTED.keys())}")


if __name__ == "__main__":
    main()
