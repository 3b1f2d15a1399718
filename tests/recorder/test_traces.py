"""What is recorded of a trace, on every supported JAX."""

import functools

import pytest

from stagelight.model.aval import Aval
from stagelight.model.event import ContextSeen, Traced
from tests.recorder.watching import watched

jax = pytest.importorskip("jax")
jnp = jax.numpy


def test_a_trace_has_its_function_signature_and_call_site():
    @jax.jit
    def double(x):
        return x * 2

    ones = jnp.ones((2, 3))
    seen = watched(lambda: double(ones))
    (traced,) = seen.of(Traced, "double")
    function = seen.functions[traced.function]
    assert (function.own, function.parameters, function.kind) == (True, ("x",), "function")
    assert function.file == __file__
    assert open(__file__).readlines()[function.line - 1].strip() == "def double(x):"
    assert traced.avals == (Aval((2, 3), "float32"),)
    assert seen.structure(traced).paths == ("x",)
    assert (traced.user.file, traced.ran, traced.failed, traced.equations) == (__file__, True, False, 1)
    assert 0 < traced.self_s <= traced.trace_s


def test_cached_calls_leave_no_entry():
    double = jax.jit(lambda x: x * 2)
    double(1.0)
    seen = watched(lambda: [double(1.0) for _ in range(10)])
    assert not seen.of(Traced)


def test_a_function_jitted_and_warmed_before_is_seen_when_it_traces_again():
    @jax.jit
    def double(x):
        return x * 2

    three, four = jnp.ones(3), jnp.ones(4)
    double(three)
    (traced,) = watched(lambda: double(four)).of(Traced, "double")
    assert traced.avals[0].shape == (4,)


def test_paths_are_those_that_the_user_wrote():
    @jax.jit
    def step(params, *rest, scale):
        return params["layers"][1]["w"] * rest[0] * scale

    layers = {"layers": [{"w": jnp.ones(2)}, {"w": jnp.ones(2)}], "none": None}
    seen = watched(lambda: step(layers, jnp.ones(2), scale=2.0))
    (traced,) = seen.of(Traced, "step")
    assert seen.structure(traced).paths == ("params['layers'][0]['w']", "params['layers'][1]['w']", "rest[0]", "scale")
    assert [name for name, _ in seen.structure(traced).arguments] == ["params", "rest[0]", "scale"]
    assert (traced.positional, traced.keywords) == (2, ("scale",))


def test_static_arguments_have_their_names_however_they_are_passed():
    @functools.partial(jax.jit, static_argnames=("mode", "axis"))
    def reduce(x, mode, axis):
        return x.sum(axis) if mode == "sum" else x.mean(axis)

    ones = jnp.ones((2, 3))
    first, second = watched(lambda: (reduce(ones, "sum", 0), reduce(ones, mode="sum", axis=1))).of(Traced, "reduce")
    assert {n: v.text for n, v in first.static} == {"mode": "'sum'", "axis": "0"}
    assert {n: v.text for n, v in second.static} == {"mode": "'sum'", "axis": "1"}


def test_weak_types_are_kept():
    @jax.jit
    def double(x):
        return x * 2

    weak, strong = watched(lambda: (double(1.0), double(jnp.float32(1.0)))).of(Traced, "double")
    assert [t.avals[0].weak for t in (weak, strong)] == [True, False]


def test_nested_traces_know_their_parent_and_time_is_not_counted_twice():
    @jax.jit
    def inner(x):
        return jnp.sin(x) * 2

    @jax.jit
    def outer(x):
        return inner(x) + 1

    seen = watched(lambda: outer(1.0))
    (child,), (parent,) = seen.of(Traced, "inner"), seen.of(Traced, "outer")
    assert (child.parent, parent.parent) == (parent.trace, 0)
    assert parent.self_s < parent.trace_s


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        (lambda f, x: jax.vmap(f)(x), "vmap"),
        (lambda f, x: jax.grad(lambda y: f(y).sum())(x), "grad"),
        (lambda f, x: jax.eval_shape(f, x), "eval_shape"),
        (lambda f, x: jax.make_jaxpr(f)(x), "make_jaxpr"),
        (lambda f, x: f.lower(x), "lower"),
    ],
    ids=["vmap", "grad", "eval_shape", "make_jaxpr", "lower"],
)
def test_what_surrounds_a_call_is_named(transform, expected):
    @jax.jit
    def double(x):
        return x * 2

    ones = jnp.ones(3)
    traced = watched(lambda: transform(double, ones)).of(Traced, "double")[0]
    assert expected in traced.under


def test_a_new_object_with_the_same_code_has_another_number_and_its_captures():
    def make(k):
        def scaled(x):
            return x * k

        return jax.jit(scaled)

    seen = watched(lambda: (make(2)(1.0), make(3)(1.0)))
    first, second = seen.of(Traced, "scaled")
    assert first.function == second.function
    assert first.object != second.object
    assert [{c.name: c.value.text for c in t.captured} for t in (first, second)] == [{"k": "2"}, {"k": "3"}]
    assert second.earlier_object_alive is False
    assert second.made_times == 2


def test_an_eager_operation_has_the_name_of_its_primitive_and_its_parameters():
    ones = jnp.ones(7)
    seen = watched(lambda: jax.lax.reduce_precision(ones, 5, 10))
    (traced,) = seen.of(Traced, "reduce_precision")
    assert seen.functions[traced.function].kind == "eager"
    assert {n: v.text for n, v in traced.static} == {"exponent_bits": "5", "mantissa_bits": "10"}


def test_a_jaxpr_that_is_found_again_is_no_trace():
    def double(x):
        return x * 2

    seen = watched(lambda: (jax.jit(double)(1.0), jax.jit(double, donate_argnums=0)(1.0)))
    assert [t.ran for t in seen.of(Traced, "double")] == [True, False]


def test_the_trace_context_is_named():
    enable_x64 = getattr(jax, "enable_x64", None)
    if enable_x64 is None:
        from jax.experimental import enable_x64

    @jax.jit
    def double(x):
        return x * 2

    def block():
        double(1.0)
        with enable_x64(True):
            double(1.0)

    seen = watched(block)
    contexts = {e.digest: dict(e.settings) for e in seen.of(ContextSeen)}
    first, second = (contexts[t.context] for t in seen.of(Traced, "double"))
    assert (first["jax_enable_x64"], second["jax_enable_x64"]) == ("False", "True")


def test_unrolled_lines_large_constants_and_side_effects_are_found():
    big = jnp.ones((300, 300))

    @jax.jit
    def step(x):
        print("tracing")
        for _ in range(20):
            x = x * 2.0
        return x + big

    (traced,) = watched(lambda: step(1.0)).of(Traced, "step")
    (line,) = traced.unrolled
    assert (line.repetitions, line.site.file) == (20, __file__)
    assert [(c.name, c.size_bytes) for c in traced.constants] == [("big", 360_000)]
    assert [e.what for e in traced.side_effects] == ["print"]


def test_a_cond_under_vmap_is_seen_to_become_a_select():
    @jax.jit
    def step(x):
        return jax.vmap(lambda v: jax.lax.cond(v > 0, lambda u: u * 2, lambda u: -u, v))(x)

    (traced,) = watched(lambda: step(jnp.ones(3))).of(Traced, "step")
    assert [s.file for s in traced.selects] == [__file__]
