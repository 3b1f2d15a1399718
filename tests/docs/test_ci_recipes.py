"""The workflow and the hook of the CI guide, read from the page and run in a fresh clone of a small project."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from gates.tree import ROOT

PAGE = (ROOT / "docs" / "guide-ci.md").read_text()
PROGRAM = """
import jax, jax.numpy as jnp

@jax.jit
def step(x):
    return x * 2

for n in SIZES:
    step(jnp.ones(n))
"""


def recipe(name: str) -> dict:
    """The YAML block of the page that names a file on its first line."""
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return yaml.safe_load(next(block for block in blocks if block.startswith(f"# {name}")))


def workflow_commands() -> list[str]:
    """What the workflow runs, installation left out: this environment stands for it."""
    steps = recipe(".github/workflows/specializations.yml")["jobs"]["verify"]["steps"]
    return [step["run"] for step in steps if "run" in step and not step["run"].startswith("pip install")]


def hook_commands() -> list[str]:
    hooks = recipe(".pre-commit-config.yaml")["repos"][0]["hooks"]
    return [hook["entry"] for hook in hooks]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command)
    if words[0] == "stagelight":
        words = [sys.executable, "-m", *words]
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), JAX_PLATFORMS="cpu")
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A project with a committed lock."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "train.py").write_text(PROGRAM.replace("SIZES", "(3, 3)"))
    assert run("stagelight lock train.py", folder).returncode == 0
    git = "git -c user.name=a -c user.email=a@example.org"
    for command in ("git init -q", "git add train.py stagelight.lock", f"{git} commit -qm first"):
        assert run(command, folder).returncode == 0
    return folder


def clone(project: Path, folder: Path) -> Path:
    assert run(f"git clone -q {project} {folder}", project).returncode == 0
    return folder


@pytest.mark.parametrize("commands", [workflow_commands(), hook_commands()], ids=["workflow", "hook"])
def test_a_fresh_clone_passes_and_a_planted_retrace_fails(project, tmp_path, commands):
    assert commands
    folder = clone(project, tmp_path / "clone")
    assert [run(command, folder).returncode for command in commands] == [0] * len(commands)
    (folder / "train.py").write_text(PROGRAM.replace("SIZES", "(3, 4)"))
    outcome = run(commands[-1], folder)
    assert outcome.returncode == 1
    assert "shape-changed" in outcome.stdout
    shutil.rmtree(folder)
