"""A next-character model on the paragraphs of Python's own manual: every batch has another length.

    python examples/ragged_text/train.py            # bucketed: one compile per bucket
    python examples/ragged_text/train.py --plain    # jax.jit: one compile per length

The data ships with Python (`pydoc_data.topics`). Batches are made of paragraphs of one length, so nothing is cut and
nothing is padded by hand; both commands print the same losses.
"""

import argparse
import collections
import time
from pydoc_data.topics import topics

import jax
import jax.numpy as jnp
import numpy as np
import optax

import stagelight

WIDTH = 32
OPTIMIZER = optax.adam(3e-3)


def batches(number: int) -> list[np.ndarray]:
    """Paragraphs as codes below 128, those of one length together: arrays `[batch, time]` of many shapes."""
    paragraphs = {" ".join(text.split()) for page in topics.values() for text in page.split("\n\n")}
    by_length = collections.defaultdict(list)
    for text in sorted(paragraphs):
        if 20 <= len(text) <= 120 and text.isascii():
            by_length[len(text)].append(np.frombuffer(text.encode(), np.uint8).astype(np.int32))
    made = [np.stack(group[:8]) for _, group in sorted(by_length.items()) if len(group) >= 2]
    return [made[place] for place in np.random.default_rng(0).permutation(len(made))[:number]]


def parameters() -> dict[str, jax.Array]:
    """Embedding, recurrence and output weights."""
    keys = jax.random.split(jax.random.key(0), 3)
    shapes = {"embed": (128, WIDTH), "recur": (WIDTH, WIDTH), "last": (WIDTH, 128)}
    return {name: jax.random.normal(key, shape) * 0.1 for key, (name, shape) in zip(keys, shapes.items(), strict=True)}


def loss(weights: dict[str, jax.Array], tokens: jax.Array) -> jax.Array:
    """Mean cross-entropy of the next character, over both ragged axes."""

    def turn(state, row):
        state = jnp.tanh(row + state @ weights["recur"])
        return state, state

    rows = jnp.swapaxes(weights["embed"][tokens[:, :-1]], 0, 1)
    _, states = jax.lax.scan(turn, jnp.zeros((tokens.shape[0], WIDTH)), rows)
    logits = jnp.swapaxes(states, 0, 1) @ weights["last"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def step(state, tokens):
    """One step of Adam."""
    weights, moments = state
    value, gradients = jax.value_and_grad(loss)(weights, tokens)
    updates, moments = OPTIMIZER.update(gradients, moments, weights)
    return (optax.apply_updates(weights, updates), moments), value


def main() -> None:
    """Train for one pass and print what it cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain", action="store_true", help="jax.jit instead of bucketed")
    parser.add_argument("--batches", type=int, default=60)
    options = parser.parse_args()
    data = batches(options.batches)
    buckets = {"b": stagelight.edges(8), "t": stagelight.geometric(1.5, smallest=32)}
    dims = {"tokens": {0: "b", 1: "t"}}
    train = jax.jit(step) if options.plain else stagelight.bucketed(step, dims=dims, buckets=buckets)
    weights = parameters()
    state, losses, started = (weights, OPTIMIZER.init(weights)), [], time.perf_counter()
    for tokens in data:
        state, value = train(state, tokens)
        losses.append(value)
    losses = [float(value) for value in losses]
    seconds = time.perf_counter() - started
    print(f"{len(data)} batches of {len({tokens.shape for tokens in data})} shapes in {seconds:.1f} s")
    print(f"mean loss of the first and last ten: {np.mean(losses[:10]):.3f}, {np.mean(losses[-10:]):.3f}")
    if not options.plain:
        report = train.buckets()
        print(f"{report.compiles} compiles, {len(report.masks)} masks")
        for bucket in report.buckets:
            sizes = ", ".join(f"{padded.dimension}={padded.capacity}" for padded in bucket.capacities)
            padding, seconds = f"{bucket.padding_share:.0%} padding", f"compiled in {bucket.compile_s:.1f} s"
            print(f"  {sizes}: {bucket.calls} calls, {padding}, {seconds}")


if __name__ == "__main__":
    main()
