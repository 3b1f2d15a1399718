"""The source tree as the gates see it, and copies of it to break."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "stagelight"
TOOLS = Path(sys.executable).parent


def copy_to(folder: Path) -> Path:
    """Copy the package and its configuration; returns the copied package."""
    shutil.copy(ROOT / "pyproject.toml", folder)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "src" / "stagelight"


def run_tool(name: str, *arguments: str, folder: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a tool of this environment in ``folder`` with the package there on its path."""
    return subprocess.run(
        [str(TOOLS / name), *arguments],
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        env=dict(os.environ, PYTHONPATH="src"),
    )


def run_python(code: str, *, path: Path = ROOT / "src") -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a fresh interpreter of this environment, the package at ``path`` first on its path."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=dict(os.environ, PYTHONPATH=str(path)),
    )
