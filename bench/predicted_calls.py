"""Random call sequences: is what ``predict`` says what then happens?

Each sequence makes a fresh function (plain, with a static argument, ``nnx.jit``, ``eqx.filter_jit``, or called with x64
switched on and off), warms it with some calls, predicts some more, and makes them. A call traced if its body ran.

    python bench/predicted_calls.py --sequences 200
"""

import argparse
import collections
import contextlib
import random

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx

import stagelight

ARRAYS = [jnp.ones(2), jnp.ones(3), jnp.ones((2, 2)), jnp.ones(2, jnp.int32), jnp.float32(1.0), 1.0, 2]
MODES = [None, "sum", "mean", "max"]


class Kind:
    """A fresh function of one kind, calls for it, and how often its body ran."""

    def __init__(self, rng):
        self.rng = rng
        self.ran = 0

    def body(self, result):
        self.ran += 1
        return result


class Plain(Kind):
    def make(self):
        return jax.jit(lambda x, y=1.0: self.body(x * y))

    def call(self):
        x, y = self.rng.choice(ARRAYS), self.rng.choice([None, 1.0, ARRAYS[4]])
        return stagelight.call(x) if y is None else stagelight.call(x, y) if self.rng.random() < 0.5 else (
            stagelight.call(x, y=y)
        )  # fmt: skip


class Static(Kind):
    def make(self):
        return jax.jit(lambda x, mode="sum": self.body(getattr(jnp.asarray(x), mode)()), static_argnames="mode")

    def call(self):
        mode = self.rng.choice(MODES)
        return stagelight.call(self.rng.choice(ARRAYS), **({} if mode is None else {"mode": mode}))


class Nnx(Kind):
    def make(self):
        self.models = [nnx.Linear(2, n, use_bias=b, rngs=nnx.Rngs(0)) for n in (1, 2) for b in (True, False)]
        return nnx.jit(lambda model, x: self.body(model(x)))

    def call(self):
        return stagelight.call(self.rng.choice(self.models), jnp.ones(2, self.rng.choice([jnp.float32, jnp.bfloat16])))


class Equinox(Kind):
    def make(self):
        self.models = [eqx.nn.Linear(2, n, key=jax.random.key(n)) for n in (1, 2)]
        return eqx.filter_jit(lambda model, x, scale: self.body(model(x) * scale))

    def call(self):
        return stagelight.call(self.rng.choice(self.models), jnp.ones(2), self.rng.choice([1.0, 2.0, jnp.ones(2)[0]]))


said = collections.Counter()  # of single calls, by the key rule of the reference machine
KINDS = [Plain, Static, Nnx, Equinox]


def x64(value):
    if not value:
        return contextlib.nullcontext()
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64

    return enable_x64(True)


def disagreement(seed):
    """What one sequence predicted and did, where they differ."""
    rng = random.Random(seed)
    kind = rng.choice(KINDS)(rng)
    function, wide = kind.make(), rng.random() < 0.2
    for _ in range(rng.randint(0, 3)):
        with contextlib.suppress(Exception):
            kind.call().make(function)
    calls = [kind.call() for _ in range(rng.randint(1, 5))]
    before = kind.ran
    with x64(wide):
        found = stagelight.predict(function, calls).calls
        predicted = [p.traces for p in found]
        said.update(p.machine.verdict for p in found)
        said["differ from JAX"] += sum(bool(p.machine.differs) for p in found)
        if kind.ran != before:
            return f"{type(kind).__name__} {seed}: the body ran while predicting"
        observed = []
        for one in calls:
            before = kind.ran
            with contextlib.suppress(Exception):
                one.make(function)
            observed.append(kind.ran > before)
    return None if predicted == observed else f"{type(kind).__name__} {seed}: {predicted} predicted, {observed} seen"


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("--sequences", type=int, default=200)
    ask.add_argument("--first", type=int, default=0, help="seed of the first sequence, to run in pieces")
    options = ask.parse_args()
    count = options.sequences
    wrong = [d for d in map(disagreement, range(options.first, options.first + count)) if d]
    print("\n".join([f"JAX {jax.__version__}", *wrong]))
    print(f"{count - len(wrong)} of {count} sequences happened as predicted; no body ran while predicting")
    print(f"the reference machine's key rule, call by call: {', '.join(f'{n} {what}' for what, n in said.items())}")


if __name__ == "__main__":
    main()
