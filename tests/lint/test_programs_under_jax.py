"""Every verdict in ``programs`` is confirmed by running the program: no rule may contradict JAX."""

import sys
import types

import pytest
from staging_programs import read_programs

jax = pytest.importorskip("jax")

_TRACE_EVENT = "/jax/core/compile/jaxpr_trace_duration"
_COMPILE_EVENT = "/jax/core/compile/backend_compile_duration"


class Counter:
    """Counts JAX's own monitoring events while a block runs."""

    def __init__(self):
        self.events = []

    def __enter__(self):
        jax.monitoring.register_event_duration_secs_listener(self._hear)
        return self

    def __exit__(self, *error):
        jax.monitoring.unregister_event_duration_listener(self._hear)

    def _hear(self, event, duration, **keywords):
        self.events.append((event, keywords.get("fun_name")))

    def count(self, event, name=None):
        return sum(e == event and (name is None or name in (n or "")) for e, n in self.events)


def raises(error_name, thunk):
    with pytest.raises(Exception) as caught:  # noqa: PT011  (the class is looked at below)
        thunk()
    names = {c.__name__ for c in type(caught.value).__mro__}
    assert error_name in names, f"{type(caught.value).__name__}: {caught.value}"


def compiles(thunk):
    with Counter() as counter:
        thunk()
    return counter.count(_COMPILE_EVENT)


def traces(function, thunk):
    function.clear_cache()
    with Counter() as counter:
        thunk()
    return counter.count(_TRACE_EVENT, function.__name__)


def _traced_again(thunk):
    thunk(), thunk()
    with Counter() as counter:
        thunk()
    return counter.count(_TRACE_EVENT)


def recompiles(thunk):
    assert _traced_again(thunk) > 0


def settles(thunk):
    assert _traced_again(thunk) == 0


@pytest.mark.parametrize("program", [p for p in read_programs("*.md") if p.witness], ids=lambda p: p.title)
def test_jax_agrees_with_the_verdict(program, monkeypatch):
    module = types.ModuleType("program")
    monkeypatch.setitem(sys.modules, "program", module)
    helpers = {f.__name__: f for f in (raises, compiles, traces, recompiles, settles)}
    vars(module).update(helpers)
    try:
        exec(compile(program.text, program.title, "exec"), vars(module))
    except Exception as error:
        if "import_error" not in program.witness:
            raise
        module.import_error = error
    exec("V, S, I = jnp.arange(1.0, 4.0), jnp.float32(2.0), jnp.int32(1)", vars(module))
    exec(compile(program.witness, f"witness of {program.title}", "exec"), vars(module))
