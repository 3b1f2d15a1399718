"""Functions behind the filtered wrappers of Flax and Equinox are the user's, and their static parts have names."""

import pytest

from stagelight.model.event import Traced
from tests.recorder.watching import watched

jax = pytest.importorskip("jax")
jnp = jax.numpy


def test_nnx_jit_names_attributes_and_leaves():
    nnx = pytest.importorskip("flax.nnx")

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.linear = nnx.Linear(3, 2, rngs=rngs)
            self.flag = True

        def __call__(self, x):
            return self.linear(x) if self.flag else x

    net = Net(nnx.Rngs(0))

    @nnx.jit
    def forward(model, x):
        return model(x)

    ones = jnp.ones(3)
    seen = watched(lambda: forward(net, ones))
    (traced,) = seen.of(Traced, "forward")
    function = seen.functions[traced.function]
    assert (function.own, function.wrapper, function.file) == (True, "nnx.jit", __file__)
    structure = seen.structure(traced)
    assert structure.paths == ("model.linear.bias", "model.linear.kernel", "x")
    metadata = {name: value.text for name, value in structure.arguments[0][1].metadata}
    assert (metadata["flag"], metadata["linear.use_bias"]) == ("True", "True")
    assert not any("_pytree__" in name for name in metadata)


def test_filter_jit_names_static_fields_static_leaves_and_array_leaves():
    eqx = pytest.importorskip("equinox")

    class Model(eqx.Module):
        weight: jax.Array
        rate: float
        act: object = eqx.field(static=True)

    @eqx.filter_jit
    def step(model, x, scale, *, mode):
        return model.act(model.weight * x) * scale

    ones = jnp.ones(3)
    model = Model(ones, 0.5, jnp.sin)
    seen = watched(lambda: step(model, ones, 2.0, mode="a"))
    (traced,) = seen.of(Traced, "step")
    function = seen.functions[traced.function]
    assert (function.own, function.wrapper, function.file) == (True, "eqx.filter_jit", __file__)
    structure = seen.structure(traced)
    assert structure.paths == ("model.weight", "x")
    assert [name for name, _ in structure.arguments[0][1].metadata] == ["act"]
    static = {name: value.text for name, value in traced.static}
    assert (static["model.rate"], static["scale"], static["mode"]) == ("0.5", "2.0", "'a'")


def test_flax_struct_and_registered_dataclasses_name_their_static_fields():
    import dataclasses
    import functools

    @functools.partial(jax.tree_util.register_dataclass, data_fields=["weight"], meta_fields=["rate"])
    @dataclasses.dataclass
    class Params:
        weight: object
        rate: float

    @jax.jit
    def step(params):
        return params.weight * params.rate

    seen = watched(lambda: step(Params(1.0, 0.1)))
    (traced,) = seen.of(Traced, "step")
    ((name, tree),) = seen.structure(traced).arguments
    assert (name, tree.kind, tree.keys) == ("params", "Params", (".weight",))
    assert [(n, v.text) for n, v in tree.metadata] == [("rate", "0.1")]


def test_a_method_has_its_owner_and_a_partial_its_arguments():
    import functools

    class Scale:
        def __init__(self, k):
            self.k = k

        def apply(self, x):
            return x * self.k

    def scaled(x, k):
        return x * k

    scale = Scale(3)
    seen = watched(lambda: (jax.jit(scale.apply)(1.0), jax.jit(functools.partial(scaled, k=2.0))(1.0)))
    (method,), (partial,) = seen.of(Traced, "apply"), seen.of(Traced, "scaled")
    assert seen.functions[method.function].kind == "method"
    assert [(c.name, c.kind, c.value.text) for c in method.captured] == [("self", "owner", "Scale(k=3)")]
    assert seen.functions[partial.function].kind == "partial"
    assert [(c.name, c.kind, c.value.text) for c in partial.captured] == [("k", "partial", "2.0")]
