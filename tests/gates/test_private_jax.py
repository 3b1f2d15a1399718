"""JAX's insides are touched in the adapters only: ruff says so, and is seen to fail."""

import pytest
from gates.tree import ROOT, run_tool

pytest.importorskip("ruff")

TOUCHES = [
    "import jax._src",
    "import jax._src.core",
    "from jax._src import pjit",
    "import jax.extend",
    "from jax.extend import core",
    "from jax.core import Tracer",
    "from jax.interpreters import partial_eval",
    "import jaxlib",
]


def complaint(line: str, filename: str) -> str:
    """What the ban says about a file of that name holding ``line``."""
    arguments = ["check", "--select", "TID251", "--no-cache", "--stdin-filename", filename, "-"]
    return run_tool("ruff", *arguments, folder=ROOT, text=f'"""Text."""\n\n{line}\n').stdout


@pytest.mark.parametrize("line", TOUCHES)
@pytest.mark.parametrize("room", ["src/stagelight/recorder", "src/stagelight/cli", "tests/recorder", "bench"])
def test_touching_the_insides_elsewhere_fails(room: str, line: str):
    assert "TID251" in complaint(line, f"{room}/astray.py")


@pytest.mark.parametrize("line", TOUCHES)
def test_adapters_may(line: str):
    assert "TID251" not in complaint(line, "src/stagelight/adapters/nearby.py")


def test_public_jax_is_free():
    assert "TID251" not in complaint("import jax", "src/stagelight/recorder/nearby.py")
