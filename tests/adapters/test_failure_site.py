"""Failures of running programs are located without instrumentation.

Pinned here: ``jax/_src/errors.py`` (error classes and texts), ``jax/_src/interpreters/partial_eval.py:
DynamicJaxprTracer._origin_msg``, ``jax/_src/core.py: escaped_tracer_error``, ``jax/_src/traceback_util.py``.
"""

import jax
import jax.numpy as jnp
import pytest
from failing_programs import failing_programs, module_of

from stagelight.adapters.failure_site import failure_site
from stagelight.adapters.failure_slug import FAILURES

PROGRAMS = failing_programs()

# Without instrumentation, arguments inside a loop's body are the body's own.
OF_THE_BODY = {
    "traced_condition:scan_body": ("x",),
    "tracer_leak:through_attribute": ("value",),
    "tracer_leak:through_scan": ("carry", "x"),
    "public_reports:accumulated": ("i", "total"),
    "public_reports:triangle": ("i",),
}


def failure_of(program):
    module = module_of(program)
    with pytest.raises(Exception) as raised:  # noqa: PT011  (which one is what the record says)
        eval(program.call, vars(module))
    return failure_site(raised.value, is_own=lambda file: file == str(program.path))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_the_exact_expression_and_its_arguments_are_named(program):
    found = failure_of(program)
    assert found.slug == program.slug
    assert (found.site.line, found.expression) == (program.line, program.expression)
    assert set(found.arguments) == set(OF_THE_BODY.get(program.name, program.arguments))
    row = program.path.read_text().splitlines()[program.line - 1]
    assert row[found.column - 1 :].startswith(program.expression.split(" >")[0])


def test_every_failure_of_the_catalogue_has_a_program():
    assert {p.slug for p in PROGRAMS} == set(FAILURES)


def test_an_error_of_the_users_own_caused_by_tracing_is_placed_at_its_cause():
    def checked(x):
        try:
            return float(x)
        except Exception as error:
            raise RuntimeError("no number") from error

    with pytest.raises(RuntimeError) as raised:
        jax.jit(checked)(1.0)
    found = failure_site(raised.value, is_own=lambda file: file == __file__)
    assert (found.slug, found.expression, found.arguments) == ("traced-concretize", "float(x)", ("x",))


def test_a_failure_with_no_own_frame_still_has_its_slug():
    with pytest.raises(TypeError) as raised:
        jax.jit(jnp.add)(jnp.ones(3), jnp.ones(4))
    found = failure_site(raised.value, is_own=lambda file: False)
    assert (found.slug, found.site.file, found.expression) == ("shape-mismatch", "", "")


@pytest.mark.parametrize("mode", ["off", "tracebackhide", "remove_frames", "quiet_remove_frames"])
def test_jax_traceback_filtering_does_not_move_the_place(mode):
    def positive(xs):
        return [x for x in xs if x > 1]

    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", mode)
    try:
        with pytest.raises(jax.errors.TracerBoolConversionError) as raised:
            jax.jit(positive)(jnp.arange(3.0))
        found = failure_site(raised.value, is_own=lambda file: file == __file__)
    finally:
        jax.config.update("jax_traceback_filtering", before)
    assert (found.slug, found.expression, found.arguments) == ("traced-condition", "x > 1", ("xs",))


def test_users_objects_are_not_asked_for_anything():
    asked = []

    class Suspicious:
        def __getattr__(self, name):
            asked.append(name)
            raise AttributeError(name)

    def mixed(x):
        held = Suspicious()
        return jnp.add(held, x)

    with pytest.raises(TypeError) as raised:
        jax.jit(mixed)(1.0)
    before = len(asked)
    found = failure_site(raised.value, is_own=lambda file: file == __file__)
    assert (found.expression, found.arguments) == ("jnp.add(held, x)", ("x",))
    assert len(asked) == before
