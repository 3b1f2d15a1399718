"""The training of ``train.py``, with every function traced once.

What changed, and why:

- the last batch is filled up to full size and a weight says which images are real, so that one shape serves all;
- the smoothed loss starts as an array, not as a Python number, so that its type is the same before and after a step;
- the learning rate is an ordinary argument, since it changes the numbers and not the program;
- pixels are normalized once, by a function made once; the loss too is staged outside the loop;
- ``score`` is called one way.
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


@jax.jit
def normalized(pixels, center, spread):
    """Pixels in units of their spread around their mean."""
    return (pixels - center) / spread


def in_batches(values):
    """Split along the first axis into full batches; the last is filled up with zeros."""
    missing = -len(values) % BATCH_SIZE
    filled = jnp.pad(values, [(0, missing)] + [(0, 0)] * (values.ndim - 1))
    return filled.reshape(-1, BATCH_SIZE, *values.shape[1:])


def cross_entropy(model, images, labels, weights):
    """Mean loss over the images whose weight is 1; weight 0 marks padding."""
    losses = optax.softmax_cross_entropy_with_integer_labels(model(images), labels)
    return (losses * weights).sum() / weights.sum()


@nnx.jit
def train_step(model, momentum, average_loss, images, labels, weights, learning_rate):
    """One step of gradient descent; returns the new momentum and the smoothed loss."""
    loss, gradients = nnx.value_and_grad(cross_entropy)(model, images, labels, weights)
    parameters = nnx.state(model, nnx.Param)
    updates, momentum = optax.sgd(learning_rate, momentum=0.9).update(gradients, momentum, parameters)
    nnx.update(model, optax.apply_updates(parameters, updates))
    return momentum, 0.9 * average_loss + 0.1 * loss


loss_of = nnx.jit(cross_entropy)


@functools.partial(nnx.jit, static_argnames="mode")
def score(model, images, labels, mode):
    """The share of images named rightly, or how many they are."""
    right = model(images).argmax(axis=-1) == labels
    return right.mean() if mode == "share" else right.sum()


def main():
    """Train, and print what a person wants to see."""
    pixels, labels = load_digits(return_X_y=True)
    pixels, labels = jnp.asarray(pixels, jnp.float32), jnp.asarray(labels, jnp.int32)
    images = normalized(pixels, pixels[:TRAINING_IMAGES].mean(), pixels[:TRAINING_IMAGES].std())
    test_images, test_labels = images[TRAINING_IMAGES:], labels[TRAINING_IMAGES:]
    batches = [in_batches(values[:TRAINING_IMAGES]) for values in (images, labels, jnp.ones(len(images)))]
    test_weights = jnp.ones(len(test_labels))

    model = Classifier(nnx.Rngs(0))
    momentum = optax.sgd(0.0, momentum=0.9).init(nnx.state(model, nnx.Param))
    average_loss = jnp.zeros((), jnp.float32)

    for epoch in range(EPOCHS):
        learning_rate = jnp.asarray(0.1 * 0.5**epoch, jnp.float32)
        for batch_images, batch_labels, weights in zip(*batches, strict=True):
            momentum, average_loss = train_step(
                model, momentum, average_loss, batch_images, batch_labels, weights, learning_rate
            )
        test_loss = loss_of(model, test_images, test_labels, test_weights)
        share = score(model, test_images, test_labels, mode="share")
        print(f"epoch {epoch + 1}  training loss {average_loss:.4f}  test loss {test_loss:.4f}  right {share:.1%}")

    share = score(model, test_images, test_labels, mode="share")
    print(f"{share:.1%} of {len(test_labels)} unseen digits named rightly")


if __name__ == "__main__":
    main()
