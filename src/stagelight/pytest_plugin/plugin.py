"""Options, markers and fixtures. Loads neither JAX nor the rest of Stagelight until a run asks for them."""

import contextlib
import sys
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from stagelight.pytest_plugin.trace_counts import TraceCounts
    from stagelight.recorder.watching import Ledger

MARKERS = (
    "max_traces(limit, function=None): fail when a function is traced more often in this test (own functions, or the "
    "one of that name); needs --stagelight",
    "no_retrace(**options): fail when a function of your own is traced or compiled again in this test for an avoidable "
    "cause; options as for stagelight.no_retrace; needs --stagelight",
)
_NAMES = ("max_traces", "no_retrace")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; each that asks for something turns the plugin on."""
    group = parser.getgroup("stagelight", "what JAX traces and compiles in each test")
    group.addoption("--stagelight", action="store_true", help="Watch what each test traces and compiles; sum it up.")
    group.addoption("--stagelight-report", metavar="FILE.html", help="Write the page of the whole run.")
    group.addoption("--stagelight-ledger", metavar="FOLDER", help="Keep the ledgers, for stagelight lock or why.")
    group.addoption("--stagelight-fail-on", metavar="SLUG,...", help="Fail each test with a miss of these causes.")
    parser.addini("stagelight", "Turn the Stagelight plugin on, as --stagelight does.", type="bool", default=False)


def is_on(config: pytest.Config) -> bool:
    """Whether this run asks for the plugin."""
    options = ("stagelight", "stagelight_report", "stagelight_ledger", "stagelight_fail_on")
    return bool(config.getini("stagelight")) or any(config.getoption(name, None) for name in options)


def pytest_configure(config: pytest.Config) -> None:
    """Make the markers known, and begin to watch where the run asks for it."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if is_on(config):
        from stagelight.pytest_plugin.run_recording import run_recording

        config.pluginmanager.register(run_recording(config), "stagelight-recording")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A marker that would check nothing says so."""
    if is_on(config):
        return
    for item in items:
        for name in _NAMES:
            if item.get_closest_marker(name) is not None:
                text = f"@pytest.mark.{name} checks nothing without --stagelight (or stagelight = true in the settings)"
                item.warn(pytest.PytestWarning(text))


@pytest.fixture
def ledger() -> "Iterator[Ledger]":
    """What JAX traces and compiles in this test: pass it to ``stagelight.why`` or ``stagelight.show``."""
    from stagelight.recorder.watching import watch

    with watch() as recorded:
        yield recorded


@pytest.fixture
def traces() -> "Iterator[TraceCounts]":
    """Counts of traces in this test: ``traces("train_step")``, ``traces.causes("train_step")``, ``traces.total``."""
    from stagelight.pytest_plugin.trace_counts import counted_traces

    with counted_traces() as counts:
        yield counts


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Guard the body of a test that is marked."""
    if not is_on(item.config):
        return (yield)
    from stagelight.errors import UsageError
    from stagelight.pytest_plugin.marker_guards import guards_of

    if "stagelight.control.budgets" in sys.modules:
        sys.modules["stagelight.control.budgets"].BUDGETS.begin_test()
    with contextlib.ExitStack() as guards:
        wrong = ""
        try:
            for guard in guards_of(item):
                guards.enter_context(guard)
        except UsageError as error:
            wrong = str(error)
        if wrong:
            pytest.fail(f"{item.nodeid}: {wrong}", pytrace=False)
        return (yield)
