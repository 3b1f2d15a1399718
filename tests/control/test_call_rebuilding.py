"""Calls made again from a ledger and from a lock: node kinds, static data, places; and what is refused, by name."""

import collections
import dataclasses
import enum
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import pytest

import stagelight
from stagelight.control.lock_file import write_lock
from stagelight.control.lock_making import seen_in
from stagelight.recorder.ledger_file import ledgers_from

try:
    from flax import struct
except ImportError:
    struct = None
else:

    @struct.dataclass
    class Training:
        params: dict
        apply: object = struct.field(pytree_node=False)


SERVING = {"first": "forbid", "threads": "all", "dispatches": None}


class Pair(NamedTuple):
    second: object
    first: object


class Unit(NamedTuple):
    """An optimizer state without any array, as Optax has them."""


class Mode(enum.Enum):
    SUM = 1
    MEAN = 2


@functools.partial(jax.tree_util.register_dataclass, data_fields=["z", "a"], meta_fields=["act", "mode"])
@dataclasses.dataclass
class Layer:
    z: object
    a: object
    act: object = jnp.tanh
    mode: Mode = Mode.SUM

    def __post_init__(self):
        assert hasattr(self.z, "shape")


@jax.tree_util.register_pytree_node_class
class Keyless:
    def __init__(self, x, tag):
        self.x, self.tag = x, tag

    def tree_flatten(self):
        return (self.x,), self.tag

    @classmethod
    def tree_unflatten(cls, tag, children):
        return cls(children[0], tag)


@dataclasses.dataclass(frozen=True)
class Settings:
    width: int = 4
    act: object = jnp.sin


def leaves_of(x):
    return sum(jnp.sum(leaf) for leaf in jax.tree.leaves(x))


ones = functools.partial(jnp.ones, 3)
TREES = {
    "named tuple": lambda: Pair(ones(), jnp.ones((2, 2))),
    "empty named tuple": lambda: (ones(), Unit()),
    "dataclass": lambda: Layer(jnp.ones((2, 3)), ones(), jnp.cos, Mode.MEAN),
    "mapping with an order": lambda: collections.OrderedDict(zebra=ones(), ant=jnp.ones((2, 2))),
    "class with static data": lambda: Keyless(ones(), ("tag", 3)),
    "nested": lambda: {"layers": [Layer(ones(), Pair(ones(), jnp.ones(2)))], "none": None},
}


def served(folder, function, *calls):
    """A ledger and a lock of some calls."""
    ledger = folder / "served.jsonl"
    with stagelight.watch(ledger, force=True):
        for call in calls:
            function(*call[0], **call[1])
    write_lock(folder / "stagelight.lock", seen_in(ledgers_from([str(ledger)]), ()).lock)
    return {"ledger": ledger, "lock": folder / "stagelight.lock"}


def warmed(function, source, *calls):
    """Warm up from a file, and see every call served without a trace or compile."""
    jax.clear_caches()
    done = stagelight.warm({"f": function}, source)
    assert [call.outcome for call in done.calls] == ["compiled"] * len(calls), done
    with stagelight.no_retrace(**SERVING):
        for call in calls:
            function(*call[0], **call[1])


@pytest.mark.parametrize("source", ["ledger", "lock"])
@pytest.mark.parametrize("name", TREES)
def test_a_tree_is_made_again(name, source, tmp_path):
    f = jax.jit(lambda tree, x: leaves_of(tree) * x)
    f.__name__ = f.__qualname__ = "f"
    call = (TREES[name](), jnp.ones(())), {}
    warmed(f, served(tmp_path, f, call)[source], call)


def test_a_static_dataclass_is_made_again_from_a_ledger_and_refused_from_a_lock(tmp_path):
    f = jax.jit(lambda x, settings: settings.act(x) * settings.width, static_argnames="settings")
    call = (jnp.ones(3),), {"settings": Settings(5, jnp.cos)}
    files = served(tmp_path, f, call)
    warmed(f, files["ledger"], call)
    (refused,) = stagelight.warm({"f": f}, files["lock"]).calls
    assert refused.outcome == "not rebuilt"
    assert "the static argument settings is Settings(width=5" in refused.reason


@pytest.mark.parametrize("source", ["ledger", "lock"])
def test_functions_and_enumerations_are_static_arguments_by_name(source, tmp_path):
    f = jax.jit(lambda x, act, mode: act(x) * mode.value, static_argnames=("act", "mode"))
    calls = [((jnp.ones(3),), {"act": act, "mode": mode}) for act, mode in ((jnp.sin, Mode.SUM), (jnp.cos, Mode.MEAN))]
    warmed(f, served(tmp_path, f, *calls)[source], *calls)


@pytest.mark.parametrize("source", ["ledger", "lock"])
def test_weak_types_and_places_are_kept(source, tmp_path):
    device = jax.devices()[0]
    f = jax.jit(lambda x, y: x * y)
    committed = jax.device_put(jnp.ones((2, 3)), device)
    from jax.experimental.layout import Format, Layout

    other = Format(Layout((0, 1)), jax.sharding.SingleDeviceSharding(device))
    calls = [
        ((jnp.ones((2, 3)), 2.0), {}),
        ((committed, 2.0), {}),
        ((jax.device_put(jnp.ones((2, 3)), other), jnp.float32(2)), {}),
    ]
    warmed(f, served(tmp_path, f, *calls)[source], *calls)


def test_a_lock_tells_places_only_where_something_is_committed(tmp_path):
    f = jax.jit(lambda x: x * 2)
    plain = served(tmp_path, f, ((jnp.ones(3),), {}))["lock"].read_text()
    assert "placed" not in plain
    jax.clear_caches()
    both = [((jnp.ones(3),), {}), ((jax.device_put(jnp.ones(3), jax.devices()[0]),), {})]
    text = served(tmp_path, f, *both)["lock"].read_text()
    assert f'  [],\n  [["x", "single device", "{jax.devices()[0]}", ""]],\n' in text


def test_a_local_class_is_refused_by_name_with_what_to_do(tmp_path):
    class Local(NamedTuple):
        x: object

    f = jax.jit(lambda pair: pair.x * 2)
    for source in served(tmp_path, f, ((Local(jnp.ones(3)),), {})).values():
        (refused,) = stagelight.warm({"f": f}, source).calls
        assert (refused.outcome, "pair is a Local" in refused.reason) == ("not rebuilt", True)
        assert "stagelight.call(...)" in refused.reason


def test_a_class_that_has_gone_is_refused(tmp_path, monkeypatch):
    f = jax.jit(lambda pair: leaves_of(pair))
    files = served(tmp_path, f, ((Pair(ones(), ones()),), {}))
    monkeypatch.delitem(globals(), "Pair")
    (refused,) = stagelight.warm({"f": f}, files["ledger"]).calls
    assert "pair needs Pair of" in refused.reason
    assert "AttributeError" in refused.reason


@pytest.mark.parametrize("source", ["ledger", "lock"])
def test_equinox_modules_under_both_kinds_of_jit(source, tmp_path):
    equinox = pytest.importorskip("equinox")
    net = equinox.nn.Linear(3, 2, key=jax.random.key(0))
    for jit in (equinox.filter_jit, jax.jit):
        f = jit(lambda net, x: net(x))
        call = (net, ones()), {}
        warmed(f, served(tmp_path, f, call)[source], call)


def test_equinox_functions_from_shapes():
    equinox = pytest.importorskip("equinox")
    f = equinox.filter_jit(lambda net, x, key: net(x) + jax.random.normal(key, (2,)))
    net = equinox.nn.MLP(3, 2, 4, 1, key=jax.random.key(0))
    shapes = stagelight.call(net, jax.ShapeDtypeStruct((3,), jnp.float32), jax.random.key(1))
    x, key = ones(), jax.random.key(1)
    assert [call.outcome for call in stagelight.warm(f, [shapes]).calls] == ["compiled"]
    with stagelight.no_retrace(**SERVING):
        f(net, x, key)


@pytest.mark.skipif(struct is None, reason="Flax is not here")
@pytest.mark.parametrize("source", ["ledger", "lock"])
def test_flax_dataclasses_and_optax_states(source, tmp_path):
    optax = pytest.importorskip("optax")
    optimizer = optax.adam(1e-3)
    f = jax.jit(lambda state, grads, training: optimizer.update(grads, state, training.params))
    params = {"w": ones()}
    call = (optimizer.init(params), params, Training(params, jnp.tanh)), {}
    warmed(f, served(tmp_path, f, call)[source], call)


def test_nnx_objects_are_refused_from_records_and_warmed_as_arguments(tmp_path):
    nnx = pytest.importorskip("flax.nnx")
    model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    f = nnx.jit(lambda model, x: model(x))
    for source in served(tmp_path, f, ((model, jnp.ones((4, 3))), {})).values():
        (refused,) = stagelight.warm({"f": f}, source).calls
        assert refused.outcome == "not rebuilt"
        assert "model is a Linear" in refused.reason
    x = jnp.ones((4, 3))
    jax.clear_caches()
    assert [c.outcome for c in stagelight.warm({"f": f}, {"f": [stagelight.call(model, x)]}).calls] == ["compiled"]
    with stagelight.no_retrace(**SERVING):
        f(model, x)
