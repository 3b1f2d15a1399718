"""What an explanation says of functions that trace."""

import functools
import threading

import fixtures.explained_functions as functions
import jax
import jax.numpy as jnp
import pytest

import stagelight
from stagelight.model.binding_time import BindingTime
from stagelight.staging.explaining import explain
from stagelight.staging.instrumented_source import SourceNotFoundError


def spans_by_text(function):
    found = {}
    for span in function.spans:
        if span.span.line == span.span.end_line:
            row = function.lines[span.span.line - function.first_line]
            found.setdefault(row[span.span.column - 1 : span.span.end_column - 1], span)
    return found


@pytest.fixture(scope="module")
def branch():
    return explain(functions.branch)(jnp.ones(3), {"w": jnp.ones(3)}, mode="sum")


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("x.shape[0]", BindingTime.METADATA),
        ("mode", BindingTime.STATIC),
        ('mode == "sum"', BindingTime.STATIC),
        ("x.sum()", BindingTime.DATA),
        ('params["w"]', BindingTime.DATA),
        ("params", BindingTime.DATA),
        ("length", BindingTime.METADATA),
        ("1.0", BindingTime.CONSTANT),
        ("TABLE", BindingTime.CONSTANT),
    ],
)
def test_every_expression_has_its_binding_time(branch, text, time):
    assert spans_by_text(branch.functions[0])[text].time is time


def test_containers_captured_arrays_and_avals_are_told_apart(branch):
    spans = spans_by_text(branch.functions[0])
    assert spans["params"].is_tree
    assert not spans['params["w"]'].is_tree
    assert spans["TABLE"].is_captured
    assert spans["x.sum()"].aval == "f32[]"


def test_data_says_which_arguments_it_flows_from(branch):
    spans = spans_by_text(branch.functions[0])
    assert spans['scaled(params["w"], length)'].origins == ("params['w']",)
    assert set(spans['total + scaled(params["w"], length)'].origins) == {"x", "params['w']"}


def test_code_that_did_not_run_has_no_label(branch):
    assert "x.mean()" not in spans_by_text(branch.functions[0])


def test_what_crosses_the_boundary_is_marked(branch):
    spans = spans_by_text(branch.functions[0])
    assert {text for text, span in spans.items() if span.crosses} == {"x.shape", "length", "(length,)", "TABLE"}


def test_a_helper_is_opened_from_its_call(branch):
    (call,) = branch.functions[0].calls
    helper = branch.functions[call.functions[0]]
    assert helper.function == "scaled"
    spans = spans_by_text(helper)
    assert (spans["n"].time, spans["v"].origins) == (BindingTime.METADATA, ("params['w']",))
    assert "v * n" in spans


def test_a_static_length_is_seen_in_the_equation_it_made(branch):
    (made,) = [e for e in branch.functions[0].equations if e.primitive == "broadcast_in_dim"]
    assert made.baked == ("1.0", "shape=(3,)")


def test_captured_arrays_and_static_arguments_are_listed(branch):
    assert branch.constants == (("f32[3]", 12),)
    assert branch.static == (("mode", "'sum'"),)
    assert branch.call == "branch(f32[3], {'w': f32[3]}, mode='sum')"


def test_an_unrolled_loop_counts_its_equations():
    explanation = explain(functions.unrolled)(jnp.ones(2), steps=5)
    counts = {e.primitive: e.count for e in explanation.functions[0].equations if e.primitive == "sin"}
    assert counts == {"sin": 5}
    assert spans_by_text(explanation.functions[0])["jnp.sin(x)"].evaluations == 5
    assert explanation.static == (("steps", "5"),)


def test_equations_of_a_loop_body_stand_at_the_body():
    explanation = explain(functions.scanned)(jnp.float32(0), jnp.ones(3))
    (function,) = explanation.functions
    inner = {
        (function.lines[e.line - function.first_line].strip(), e.primitive) for e in function.equations if e.is_inner
    }
    assert inner == {("step = x * 2", "mul"), ("return carry + step, step", "add")}
    spans = spans_by_text(function)
    assert spans["step"].origins == ("xs",)
    assert set(spans["carry"].origins) == {"start", "xs"}


def test_side_effects_that_ran_while_tracing_are_listed():
    before = len(functions.SEEN)
    explanation = explain(functions.effectful)(1.0)
    effects = [e.text for e in explanation.functions[0].effects]
    assert effects == [
        "print",
        "logging.getLogger",
        "logging.getLogger(__name__).debug",
        "time.perf_counter",
        "np.random.normal",
        "SEEN.append",
    ]
    assert len(functions.SEEN) == before + 1


def test_a_static_field_of_a_pytree_is_static():
    layer = functions.Layer(w=jnp.ones((3, 2)))
    explanation = explain(jax.jit(lambda m, x: m(x)))(layer, jnp.ones(3))
    spans = spans_by_text(explanation.functions[1])
    assert (spans["self.act"].time, spans["self"].is_tree) == (BindingTime.STATIC, True)
    assert spans["self.w"].origins == ("m.w",)


def test_methods_partials_and_modules_are_explained():
    assert explain(functions.Model(0.1).step)(jnp.ones(2)).function == "Model.step"
    partial = functools.partial(functions.branch, jnp.ones(3))
    assert explain(partial)({"w": jnp.ones(3)}).failure is None
    assert explain(functions.Layer(w=jnp.ones((3, 2))))(jnp.ones(3)).function == "Layer.__call__"


def test_abstract_arguments_are_enough():
    aval = jax.ShapeDtypeStruct((3,), jnp.float32)
    assert explain(functions.branch)(aval, {"w": aval}).call == "branch(f32[3], {'w': f32[3]})"


def test_static_argnames_make_arguments_static():
    explanation = explain(functions.scaled, static_argnames="n")(jnp.ones(2), 3)
    assert spans_by_text(explanation.functions[0])["n"].time is BindingTime.STATIC
    assert explain(functions.scaled)(jnp.ones(2), 3).failure.failure.slug == "traced-condition"


def test_functions_have_their_own_code_again_afterwards():
    code = functions.branch.__code__
    explain(functions.branch)(jnp.ones(3), {"w": jnp.ones(3)})
    assert functions.branch.__code__ is code


def test_nothing_that_was_compiled_is_forgotten():
    functions.scanned(0.0, jnp.ones(3))
    size = functions.scanned._cache_size()
    traced = []
    inner = jax.jit(lambda x: traced.append(1) or x)
    inner(1.0)
    explain(functions.scanned)(0.0, jnp.ones(3))
    inner(1.0)
    assert (functions.scanned._cache_size(), traced) == (size, [1])


def test_other_threads_are_not_observed():
    stop, ran = threading.Event(), []

    def busy():
        while not stop.is_set():
            ran.append(functions.scaled(2, 3))

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        explanation = explain(functions.branch)(jnp.ones(3), {"w": jnp.ones(3)})
    finally:
        stop.set()
        thread.join()
    assert spans_by_text(explanation.functions[1])["n > 2"].evaluations == 1
    assert set(ran) == {6}


@pytest.mark.parametrize("bad", [3, "name", len, dict])
def test_what_has_no_python_function_is_refused_at_the_door(bad):
    with pytest.raises(stagelight.UsageError, match="explain"):
        explain(bad)


def test_a_function_without_source_is_refused_with_the_reason():
    namespace = {}
    exec(compile("def made(x): return x", "<made nowhere>", "exec"), namespace)
    with pytest.raises(SourceNotFoundError, match="no source"):
        explain(namespace["made"])(1.0)


def test_an_unknown_static_argument_is_refused():
    with pytest.raises(stagelight.UsageError, match="no parameter 'nn'; it has v, n"):
        explain(functions.scaled, static_argnames="nn")


def test_a_filtered_jit_keeps_numbers_static():
    eqx = pytest.importorskip("equinox")

    @eqx.filter_jit
    def scaled(x, factor):
        return x * factor if factor > 1 else x

    (function,) = explain(scaled)(jnp.ones(2), 3).functions
    assert spans_by_text(function)["factor"].time is BindingTime.STATIC


def test_a_jit_of_flax_is_explained():
    nnx = pytest.importorskip("flax.nnx")

    @nnx.jit
    def applied(layer, x):
        return layer(x) * 2

    (function,) = explain(applied)(nnx.Linear(3, 4, rngs=nnx.Rngs(0)), jnp.ones((2, 3))).functions
    assert spans_by_text(function)["layer(x)"].aval == "f32[2,4]"


def test_an_iterator_over_traced_values_is_not_used_up():
    def paired(xs, ys):
        return [x * i + y for i, (x, y) in enumerate(zip(xs, ys, strict=True))]

    (function,) = explain(paired)([jnp.ones(()), jnp.ones(())], [jnp.ones(()), jnp.ones(())]).functions
    spans = spans_by_text(function)
    assert spans["zip(xs, ys, strict=True)"].is_tree
    assert (spans["i"].time, spans["x"].evaluations) == (BindingTime.METADATA, 2)
    assert spans["x"].origins == ("xs[0]", "xs[1]")
