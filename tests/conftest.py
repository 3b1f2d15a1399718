"""A test that leaves something behind fails: a JAX setting, a monitoring tool, an import hook, an exception hook."""

import sys
import threading

import pytest


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
