"""Records, reasoning and views need no JAX, and the package loads nothing that it does not need."""

from pathlib import Path

import pytest
from gates.tree import SOURCE, copy_to, run_python

# Floors 0 and 1, and the views that read ledgers on a laptop.
ROOMS_WITHOUT_JAX = ("model", "attribution", "lint", "comparison", "sizes", "reference", "report", "inspection")

# A finder that stands before all others and refuses JAX, as an environment without it would.
REFUSE_JAX = """
import sys
class RefuseJax:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"jax", "jaxlib", "flax", "equinox", "optax"}:
            raise ModuleNotFoundError(f"No module named {name!r} (refused)", name=name)
sys.meta_path.insert(0, RefuseJax())
"""

IMPORT_ALL = """
import importlib, pkgutil
room = importlib.import_module("stagelight.{room}")
for module in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
    importlib.import_module(module.name)
"""

rooms = [room for room in ROOMS_WITHOUT_JAX if (SOURCE / room).is_dir()]


@pytest.mark.parametrize("room", rooms)
def test_every_module_imports_where_jax_is_missing(room: str):
    outcome = run_python(REFUSE_JAX + IMPORT_ALL.format(room=room))
    assert outcome.returncode == 0, outcome.stderr


def test_that_test_fails_for_a_module_that_imports_jax(tmp_path: Path):
    package = copy_to(tmp_path)
    (package / "model" / "astray.py").write_text("import jax\n")
    outcome = run_python(REFUSE_JAX + IMPORT_ALL.format(room="model"), path=package.parent)
    assert outcome.returncode == 1
    assert "No module named 'jax' (refused)" in outcome.stderr


def loaded_after(code: str, *, path: Path = SOURCE.parent) -> set[str]:
    """Top-level packages in ``sys.modules`` after ``code`` ran in a fresh interpreter."""
    outcome = run_python(code + "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules})", path=path)
    assert outcome.returncode == 0, outcome.stderr
    return set(outcome.stdout.split())


HEAVY = {"jax", "jaxlib", "numpy", "click", "rich", "jinja2", "msgspec", "IPython"}


def test_importing_the_package_loads_nothing_heavy():
    assert not loaded_after("import stagelight") & HEAVY


def test_that_test_fails_for_a_package_that_imports_click(tmp_path: Path):
    package = copy_to(tmp_path)
    with (package / "__init__.py").open("a") as file:
        file.write("\nimport click\n")
    assert "click" in loaded_after("import stagelight", path=package.parent)


def test_help_loads_no_jax_and_no_renderer():
    code = "from stagelight.cli.entry import group\ngroup(['--help'], standalone_mode=False, prog_name='stagelight')"
    assert not loaded_after(code) & (HEAVY - {"click", "msgspec"})
