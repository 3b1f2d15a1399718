"""Train a small network on handwritten digits. It works; it also traces far more often than it has to.

Nothing here is broken on purpose: each habit below is common, and none of them changes a result. Run it under
Stagelight to see which habits cost time:

    stagelight run examples/digits/train.py

``train_repaired.py`` beside this file is the same training without them.
"""

import functools

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from sklearn.datasets import load_digits

BATCH_SIZE = 64
EPOCHS = 4
TRAINING_IMAGES = 1437


class Classifier(nnx.Module):
    """Two layers over the 64 pixels of an 8 × 8 image."""

    def __init__(self, rngs: nnx.Rngs):
        self.hidden = nnx.Linear(64, 128, rngs=rngs)
        self.output = nnx.Linear(128, 10, rngs=rngs)

    def __call__(self, images):
        return self.output(nnx.relu(self.hidden(images)))


def cross_entropy(model, images, labels):
    """Mean loss over one batch."""
    return optax.softmax_cross_entropy_with_integer_labels(model(images), labels).mean()


@functools.partial(nnx.jit, static_argnames="learning_rate")
def train_step(model, momentum, average_loss, images, labels, learning_rate):
    """One step of gradient descent; returns the new momentum and the smoothed loss."""
    loss, gradients = nnx.value_and_grad(cross_entropy)(model, images, labels)
    parameters = nnx.state(model, nnx.Param)
    updates, momentum = optax.sgd(learning_rate, momentum=0.9).update(gradients, momentum, parameters)
    nnx.update(model, optax.apply_updates(parameters, updates))
    return momentum, 0.9 * average_loss + 0.1 * loss


@functools.partial(nnx.jit, static_argnames="mode")
def score(model, images, labels, mode):
    """The share of images named rightly, or how many they are."""
    right = model(images).argmax(axis=-1) == labels
    return right.mean() if mode == "share" else right.sum()


def main():
    """Train, and print what a person wants to see."""
    pixels, labels = load_digits(return_X_y=True)
    pixels, labels = jnp.asarray(pixels, jnp.float32), jnp.asarray(labels, jnp.int32)
    center, spread = pixels[:TRAINING_IMAGES].mean(), pixels[:TRAINING_IMAGES].std()
    test_pixels, test_labels = pixels[TRAINING_IMAGES:], labels[TRAINING_IMAGES:]

    model = Classifier(nnx.Rngs(0))
    momentum = optax.sgd(0.0, momentum=0.9).init(nnx.state(model, nnx.Param))
    average_loss = 0.0

    for epoch in range(EPOCHS):
        normalized = jax.jit(lambda image: (image - center) / spread)
        loss_of = nnx.jit(lambda model, images, labels: cross_entropy(model, images, labels))
        learning_rate = 0.1 * 0.5**epoch
        for start in range(0, TRAINING_IMAGES, BATCH_SIZE):
            stop = min(start + BATCH_SIZE, TRAINING_IMAGES)
            momentum, average_loss = train_step(
                model, momentum, average_loss, normalized(pixels[start:stop]), labels[start:stop], learning_rate
            )
        test_loss = loss_of(model, normalized(test_pixels), test_labels)
        share = score(model, normalized(test_pixels), test_labels, "share")
        print(f"epoch {epoch + 1}  training loss {average_loss:.4f}  test loss {test_loss:.4f}  right {share:.1%}")

    share = score(model, normalized(test_pixels), test_labels, mode="share")
    print(f"{share:.1%} of {len(test_labels)} unseen digits named rightly")


if __name__ == "__main__":
    main()
