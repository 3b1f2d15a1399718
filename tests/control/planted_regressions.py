"""A small training loop, and one change of it for each avoidable cause.

Run as a program it plays the loop as it is and with each change, all in one process, and prints which causes a lock of
the loop as it is finds added.
"""

import json
import sys
import tempfile
from pathlib import Path

import jax

import stagelight
from stagelight.comparison.lock_difference import lock_changes
from stagelight.control.lock_making import seen_in
from stagelight.recorder.ledger_file import ledgers_from

LOOP = """
import contextlib, dataclasses, functools
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

class Settings:
    def __init__(self): self.scale = 2

class Unstable:
    def __eq__(self, other): return isinstance(other, Unstable)
    def __hash__(self): return id(self)

@functools.partial(jax.tree_util.register_dataclass, data_fields=["value"], meta_fields=["tag"])
@dataclasses.dataclass
class Tagged:
    value: jax.Array
    tag: int = 0

class Model:
    def apply(self, state, x, mode="sum"): return body(state, x)

def body(state, x, *rest):
    return {"w": state["w"] * jax.tree.leaves(x)[0].sum()}

def make(captured=0):
    def step(state, x, *rest, mode="sum"):
        if fails and fails.pop(): raise ValueError("once")
        return body(state, x)
    def capturing(state, x, *rest, mode="sum"):
        return {"w": body(state, x)["w"] + captured}
    return step if captured == 0 else capturing

def matrix(order):
    from jax.experimental.layout import Format, Layout
    return jax.device_put(jnp.ones((2, 3)), Format(Layout(order), jax.sharding.SingleDeviceSharding(jax.devices()[0])))

def placed(spec, kind):
    mesh = jax.make_mesh((2,), ("data",), axis_types=(kind,))
    return jax.device_put(jnp.ones(4), NamedSharding(mesh, spec))

fails = []
step_function = make()
step = jax.jit(step_function, static_argnames="mode")
for i in range(3):
    state, x, mode, rest, around = {"w": jnp.ones(4)}, jnp.ones(4), "sum", (), contextlib.nullcontext()
    call = lambda: step(state, x, *rest, mode=mode)
    PLANTED
    with around, contextlib.suppress(ValueError):
        call()
"""

PLANTED = {
    "shape-changed": "x = jnp.ones(4 + i)",
    "dtype-changed": "x = jnp.ones(4, jnp.int32 if i else jnp.float32)",
    "weak-type-changed": "x = 1.0 if i else jnp.float32(1)",
    "sharding-type-changed": "x = placed(PartitionSpec('data' if i else None), jax.sharding.AxisType.Explicit)",
    "tree-structure-changed": "state |= {'b': jnp.ones(1)} if i else {}",
    "tree-metadata-changed": "x = Tagged(x, i)",
    "argument-count-changed": "rest = (x,) * i",
    "call-convention-changed": "call = call if not i else lambda: step(state, x=x, mode=mode)",
    "static-value-changed": "mode = f'mode {i}'",
    "static-object-recreated": "mode = Settings()",
    "static-hash-unstable": "mode = Unstable()",
    "function-recreated": "step = jax.jit(make(), static_argnames='mode')",
    "closure-value-changed": "step = jax.jit(make(1 + i), static_argnames='mode')",
    "method-owner-changed": "step = jax.jit(Model().apply, static_argnames='mode')",
    "context-changed": "around = jax.default_matmul_precision('float32') if i else around",
    "cache-cleared": "jax.clear_caches() if i == 1 else None",
    "new-combination": "x, mode = jnp.ones(4 + (i == 1)), 'mean' if i else 'sum'",
    "earlier-trace-failed": "fails.append(True) if i == 0 else None",
    "committed-changed": "x = jax.device_put(x, jax.devices()[0]) if i else x",
    "sharding-changed": "x = placed(PartitionSpec('data' if i else None), jax.sharding.AxisType.Auto)",
    "device-changed": "state, x = jax.device_put((state, x), jax.devices()[i % 2])",
    "layout-changed": "x = matrix((1, 0) if i else (0, 1))",
    "jit-options-changed": "step = jax.jit(step_function, static_argnames='mode', donate_argnums=(0,) if i else ())",
}


def seen(planted: str):
    jax.clear_caches()
    code = compile(LOOP.replace("PLANTED", planted), str(Path.cwd() / "train.py"), "exec")
    with tempfile.TemporaryDirectory() as folder:
        with stagelight.watch(Path(folder) / "run.jsonl"):
            exec(code, {"__name__": "__main__"})
        return seen_in(ledgers_from([folder]), ("train.py",))


def main() -> None:
    locked = seen("pass").lock
    again = lock_changes(locked, seen("pass").lock)
    added = {
        slug: [c.subject for c in lock_changes(locked, seen(planted).lock) if c.severity == "error"]
        for slug, planted in PLANTED.items()
    }
    json.dump({"unchanged": len(again), "added": added}, sys.stdout)


if __name__ == "__main__":
    main()
