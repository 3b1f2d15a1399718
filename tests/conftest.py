"""What holds for all tests: those that import JAX need it installed, and none leaves anything behind."""

import importlib.util
import re
import sys
import threading
from pathlib import Path

import pytest

_HAS_JAX = importlib.util.find_spec("jax") is not None
_IMPORTS_JAX = re.compile(r"^(?:import|from) jax\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """In the environment without JAX, pass over files that compare with JAX; all others must run there."""
    if _HAS_JAX or collection_path.suffix != ".py":
        return None
    return True if _IMPORTS_JAX.search(collection_path.read_text()) else None


def _what_a_test_may_leave_behind() -> dict[str, object]:
    """Process-wide state by name."""
    state: dict[str, object] = {
        "tools of sys.monitoring": tuple(sys.monitoring.get_tool(number) for number in range(6)),
        "import hooks": tuple(finder for finder in sys.meta_path if type(finder).__module__.startswith("stagelight")),
        "sys.excepthook": sys.excepthook,
        "threading.excepthook": threading.excepthook,
        "trace function": sys.gettrace(),
        "profile function": sys.getprofile(),
    }
    if "jax" in sys.modules:
        state["settings of JAX"] = dict(sys.modules["jax"].config.values)
    return state


def _left_behind(before: dict[str, object], after: dict[str, object]) -> list[str]:
    # A test that loads JAX for the first time has no settings before it.
    return [name for name, value in after.items() if name in before and value != before[name]]


@pytest.fixture(autouse=True)
def _leave_nothing_behind(request):
    before = _what_a_test_may_leave_behind()
    yield
    left = _left_behind(before, _what_a_test_may_leave_behind())
    assert not left, f"{request.node.nodeid} left behind: {', '.join(left)}"
