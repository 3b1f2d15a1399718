"""What raised while tracing, or was refused in C++ before any hook, on every supported JAX."""

import pytest

from stagelight.model.event import Failed, NotHandled, Traced
from stagelight.recorder.watching import watch
from tests.recorder.watching import Watched, watched

jax = pytest.importorskip("jax")
jnp = jax.numpy


def test_a_condition_on_a_traced_value_is_told_once_with_its_expression():
    @jax.jit
    def branch(value):
        if value > 0.0:
            return value
        return -value

    def block():
        with pytest.raises(jax.errors.TracerBoolConversionError):
            branch(1.0)

    seen = watched(block)
    (failed,) = seen.of(Failed)
    assert (failed.what.slug, failed.what.expression, failed.what.arguments) == (
        "traced-condition",
        "value > 0.0",
        ("value",),
    )
    assert seen.functions[failed.function].name == "branch"
    assert seen.of(Traced, "branch")[0].failed


def test_an_error_inside_a_nested_library_jit_is_told_at_the_users_line():
    @jax.jit
    def add(x):
        return x + jnp.ones(5)

    def block():
        with pytest.raises(TypeError):
            add(jnp.ones(3))

    seen = watched(block)
    (failed,) = seen.of(Failed)
    assert (failed.what.slug, failed.what.site.file) == ("shape-mismatch", __file__)
    assert seen.functions[failed.function].name == "add"


def test_an_unhashable_static_argument_is_told_each_time():
    total = jax.jit(lambda x, sizes: x, static_argnums=1)

    def block():
        for _ in range(3):
            with pytest.raises(ValueError, match="Non-hashable"):
                total(1.0, [1, 2])

    failures = watched(block).of(Failed)
    assert [f.what.slug for f in failures] == ["unhashable-static-argument"] * 3


def test_a_failure_under_eager_grad_is_told():
    def concrete(x):
        return float(x)

    def block():
        with pytest.raises(jax.errors.ConcretizationTypeError):
            jax.grad(concrete)(1.0)

    (failed,) = watched(block).of(Failed)
    assert (failed.what.slug, failed.what.expression) == ("traced-concretize", "float(x)")


def test_only_the_failure_that_left_the_block_is_not_handled():
    @jax.jit
    def branch(value):
        return 1 if value else 2

    def block():
        with pytest.raises(jax.errors.TracerBoolConversionError):
            branch(1.0)
        branch(jnp.float32(2.0))

    ledgers = []

    def watched_block():
        with watch() as ledger:
            ledgers.append(ledger)
            block()

    with pytest.raises(jax.errors.TracerBoolConversionError):
        watched_block()
    seen = Watched(ledgers[0].entries())
    handled, raised = seen.of(Failed)
    assert [n.failure for n in seen.of(NotHandled)] == [raised.failure]
    assert handled.failure != raised.failure


def test_redaction_keeps_messages_out():
    @jax.jit
    def reject(x):
        raise ValueError("password 1234")

    def block():
        with pytest.raises(ValueError, match="password"):
            reject(1.0)

    (failed,) = watched(block, redact=True).of(Failed)
    assert (failed.what.slug, failed.what.message) == ("rejected-while-tracing", "")


def test_a_block_whose_ledger_nobody_keeps_ends_in_silence(capsys):
    with watch():
        jax.jit(lambda x: x * 2)(1.0)
    assert capsys.readouterr().err == ""


def test_redaction_keeps_the_arguments_of_the_command_line_out(monkeypatch):
    monkeypatch.setattr("sys.argv", ["train.py", "--token", "hunter7"])
    for redact, program in ((True, ("train.py",)), (False, ("train.py", "--token", "hunter7"))):
        with watch(redact=redact) as ledger:
            pass
        assert ledger.header.program == program
