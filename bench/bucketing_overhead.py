"""What bucketing costs beside padding and masks written by hand, and what a call costs beyond its program.

    python bench/bucketing_overhead.py

Decides whether anyone should still write the masks by hand. All sides run at the same bucket, warm, in turns in one
process; ratios are medians of rounds with their quartiles, and times of small steps are shown though a decision needs
steps of 5 ms and more. A second compilation of what was written by hand, against the first, shows the noise.

The masks by hand are the fewest that do for finite weights: padding is zero, so a mask before the softmax, or of the
loss, is enough. The bucketed side promises more, and pays for it: with an infinite weight, zero times infinity in the
padding must not reach a result either. It pads the same arrays with the same zeros.
"""

import argparse
import functools
import statistics
import time

import jax
import jax.numpy as jnp
import numpy as np

import stagelight


def normal(random, *shape):
    return (random.normal(size=shape) * 0.1).astype(np.float32)


def attention(p, x):
    q, k, v = x @ p["q"], x @ p["k"], x @ p["v"]
    return jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k) / 8.0, -1) @ v


def attention_by_hand(p, x, rows, length):
    q, k, v = x @ p["q"], x @ p["k"], x @ p["v"]
    scores = jnp.einsum("bqd,bkd->bqk", q, k) / 8.0
    scores = jnp.where(jnp.arange(x.shape[1]) < length, scores, -jnp.inf)
    return jax.nn.softmax(scores, -1) @ v


def norm(h):
    return (h - h.mean(-1, keepdims=True)) * jax.lax.rsqrt(h.var(-1, keepdims=True) + 1e-5)


def block(p, x, scores_of):
    h = norm(x)
    scores = scores_of(jnp.einsum("bqd,bkd->bqk", h @ p["q"], h @ p["k"]) / 8.0)
    x = x + jax.nn.softmax(scores, -1) @ (h @ p["v"]) @ p["o"]
    return x + jax.nn.gelu(norm(x) @ p["a"]) @ p["b"]


def causal(scores):
    return jnp.where(jnp.tril(jnp.ones(scores.shape[1:], bool)), scores, -jnp.inf)


def descended(loss, p):
    value, gradients = jax.value_and_grad(loss)(p)
    return jax.tree.map(lambda a, g: a - 0.1 * g, p, gradients), value


def transformer(p, x):
    def loss(p):
        y = block(p, x, causal)
        return ((y[:, :-1] - y[:, 1:]) ** 2).mean()

    return descended(loss, p)


def transformer_by_hand(p, x, rows, length):
    real = (jnp.arange(x.shape[0]) < rows)[:, None] & (jnp.arange(x.shape[1] - 1) < length - 1)[None]

    def loss(p):
        y = block(p, x, causal)  # causal: padding comes after every real query
        squares = jnp.where(real[..., None], (y[:, :-1] - y[:, 1:]) ** 2, 0.0)
        return squares.sum() / (rows * (length - 1) * x.shape[2])

    return descended(loss, p)


def mlp(p, x):
    def loss(p):
        return ((jnp.tanh(x @ p["q"]) @ p["a"]) ** 2).mean()

    return descended(loss, p)


def mlp_by_hand(p, x, rows, length):
    def loss(p):
        squares = (jnp.tanh(x @ p["q"]) @ p["a"]) ** 2
        squares = jnp.where(
            (jnp.arange(x.shape[0]) < rows)[:, None, None] & (jnp.arange(x.shape[1]) < length)[None, :, None],
            squares,
            0.0,
        )
        return squares.sum() / (rows * length * squares.shape[2])

    return descended(loss, p)


PROGRAMS = (
    ("MLP gradient", mlp, mlp_by_hand, (8, 64)),
    ("MLP gradient", mlp, mlp_by_hand, (32, 512)),
    ("attention", attention, attention_by_hand, (8, 64)),
    ("attention", attention, attention_by_hand, (8, 512)),
    ("transformer gradient", transformer, transformer_by_hand, (8, 64)),
    ("transformer gradient", transformer, transformer_by_hand, (8, 256)),
    ("transformer gradient", transformer, transformer_by_hand, (8, 512)),
)


def seconds(function):
    started = time.perf_counter()
    jax.block_until_ready(function())
    return time.perf_counter() - started


def compared(functions, rounds):
    """Seconds of each function, one list of rounds for each; every round begins with another one."""
    times = [[] for _ in functions]
    for number in range(rounds):
        places = [(number + place) % len(functions) for place in range(len(functions))]
        for place in places if number % 2 else places[::-1]:
            times[place].append(seconds(functions[place]))
    return times


def ratio_text(times, yardstick):
    ratios = sorted(one / other for one, other in zip(times, yardstick, strict=True))
    quarter = len(ratios) // 4
    return f"{statistics.median(ratios):.3f} ({ratios[quarter]:.3f} to {ratios[-1 - quarter]:.3f})"


def by_hand(rounds):
    print("bucketed against padding and masks by hand, b-1 of b rows and t-2 of t places real, results padded")
    print(f"{'program':<21} {'bucket':<9} {'masks':>5} {'by hand':>9} {'bucketed':>9}   ", end="")
    print(f"{'ratio (quartiles)':<24} by hand, again")
    random = np.random.default_rng(0)
    shapes = {"q": (64, 64), "k": (64, 64), "v": (64, 64), "o": (64, 64), "a": (64, 128), "b": (128, 64)}
    p = jax.device_put({name: normal(random, *shape) for name, shape in shapes.items()})
    for name, function, hand, (b, t) in PROGRAMS:
        x = normal(random, b - 1, t - 2, 64) * 10
        bucketed = stagelight.bucketed(function, dims={"x": {0: "b", 1: "t"}}, outputs="padded", check_first=False)

        def by_hand_of(jitted, x=x, b=b, t=t):
            def run():
                padded = np.zeros((b, t, 64), np.float32)
                padded[: x.shape[0], : x.shape[1]] = x
                return jitted(p, padded, np.int32(b - 1), np.int32(t - 2))

            return run

        def run_bucketed(bucketed=bucketed, x=x):
            return bucketed(p, x)

        # A function of its own each, so that the second one is compiled as well.
        sides = [by_hand_of(jax.jit(functools.partial(hand))) for _ in range(2)]
        results = jax.tree.leaves(sides[0]()), jax.tree.leaves(run_bucketed())
        for one, other in zip(*results, strict=False):
            if one.ndim < 3:
                np.testing.assert_allclose(one, other, rtol=2e-3, atol=2e-4)
        jax.block_until_ready(sides[1]())
        first, again, own = compared([*sides, run_bucketed], rounds)
        print(
            f"{name:<21} {f'({b}, {t})':<9} {len(bucketed.buckets().masks):>5}"
            f" {statistics.median(first) * 1e3:>6.2f} ms {statistics.median(own) * 1e3:>6.2f} ms"
            f"   {ratio_text(own, first)}   {ratio_text(again, first)}",
            flush=True,
        )


def dispatch(rounds):
    print("\nmicroseconds a call beyond the masked program itself (same executable, called directly), tenth percentile")
    print(f"{'leaves':>6} {'program':>9} {'call':>9} {'beyond':>8} {'allowed':>8} {'with padding':>13} {'more':>7}")
    for leaves in (1, 4, 16, 64):
        state = jax.device_put({f"w{n}": np.ones(4, np.float32) for n in range(leaves)})
        function = stagelight.bucketed(
            lambda state, x: jax.tree.map(lambda w: w + x.mean(0), state), dims={"x": {0: "b"}}, check_first=False
        )
        x, short = jax.device_put(np.ones((16, 4), np.float32)), np.ones((15, 4), np.float32)
        function(state, x)
        ((program,),) = function._programs.by_bucket().values()
        sizes = [np.int32(16)]
        full, padded, bare = [], [], []
        for _ in range(rounds):
            for found, call in (
                (bare, lambda: program.run(sizes, state, x).arrays),
                (full, lambda: function(state, x)),
                (padded, lambda: function(state, short)),
            ):
                started = time.perf_counter()
                result = call()
                found.append((time.perf_counter() - started) * 1e6)
                jax.block_until_ready(result)
        bare, full, padded = (sorted(times)[len(times) // 10] for times in (bare, full, padded))
        beyond, allowed, more = full - bare, 25 + 0.5 * (leaves + 1), padded - full
        print(f"{leaves + 1:>6} {bare:>9.1f} {full:>9.1f} {beyond:>8.1f} {allowed:>8.1f} {padded:>13.1f} {more:>7.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--calls", type=int, default=1500)
    options = parser.parse_args()
    print(f"JAX {jax.__version__}, {jax.default_backend()}, {jax.devices()[0].device_kind}")
    by_hand(options.rounds)
    dispatch(options.calls)


if __name__ == "__main__":
    main()
