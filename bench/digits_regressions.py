"""The repaired digits example, shortened, and one edit of it for each avoidable cause."""

from pathlib import Path

_REPAIRED = Path(__file__).parents[1] / "examples" / "digits" / "train_repaired.py"

type Edit = tuple[str, str]
"""A text of the program, and what stands in its place afterwards."""


def replaced(text: str, edits: tuple[Edit, ...]) -> str:
    """The text with each edit made once.

    Raises:
        ValueError: A text to replace is not there.
    """
    for old, new in edits:
        if old not in text:
            raise ValueError(f"the program does not hold {old!r}")
        text = text.replace(old, new, 1)
    return text


BASE = replaced(
    _REPAIRED.read_text(), (("EPOCHS = 4", "EPOCHS = 2"), ("TRAINING_IMAGES = 1437", "TRAINING_IMAGES = 250"))
)

_LOOP = "        learning_rate = jnp.asarray("
_NORMALIZED = "    images = normalized(pixels, pixels[:TRAINING_IMAGES].mean(), pixels[:TRAINING_IMAGES].std())\n"
_LAST = '    share = score(model, test_images, test_labels, mode="share")\n    print('
_FUNCTION = "def main():\n"
_SCORED = 'return right.mean() if mode == "share" else right.sum()'
_PLAIN = "        normalized({pixels}, jnp.zeros(()), jnp.ones(()))\n"
_PLACED = (
    _NORMALIZED
    + "    from jax.sharding import NamedSharding, PartitionSpec\n"
    + "    mesh = jax.make_mesh((2,), ('columns',), axis_types=(jax.sharding.AxisType.{kind},))\n"
    + "    for spec in (PartitionSpec(), PartitionSpec(None, 'columns')):\n"
    + _PLAIN.format(pixels="jax.device_put(pixels, NamedSharding(mesh, spec))")
)


def _before_last(line: str) -> Edit:
    """A line before the last call of ``score``."""
    return _LAST, f"    {line}\n{_LAST}"


def _each_epoch(*lines: str) -> Edit:
    """Lines at the start of each epoch."""
    return _LOOP, "".join(f"        {line}\n" for line in lines) + _LOOP


REGRESSIONS: dict[str, tuple[Edit, ...]] = {
    "shape-changed": (
        ("    return filled.reshape(-1, BATCH_SIZE, *values.shape[1:])",
         "    return [values[start : start + BATCH_SIZE] for start in range(0, len(values), BATCH_SIZE)]"),
    ),
    "dtype-changed": (_before_last("test_labels = test_labels.astype(jnp.uint8)"),),
    "weak-type-changed": (("average_loss = jnp.zeros((), jnp.float32)", "average_loss = 0.0"),),
    "sharding-type-changed": ((_NORMALIZED, _PLACED.format(kind="Explicit")),),
    "tree-structure-changed": (
        ("    return (losses * weights).sum() / weights.sum()",
         "    return losses.mean() if weights is None else (losses * weights).sum() / weights.sum()"),
        ("batch_labels, weights, learning_rate", "batch_labels, weights if epoch else None, learning_rate"),
    ),
    "tree-metadata-changed": (_each_epoch("model.epoch = epoch"),),
    "argument-count-changed": (
        ("def score(model, images, labels, mode):", "def score(model, images, labels, *masks, mode):"),
        _before_last("score(model, test_images, test_labels, test_weights, mode='share')"),
    ),
    "call-convention-changed": (_before_last('score(model, test_images, test_labels, "share")'),),
    "static-value-changed": (_before_last('score(model, test_images, test_labels, mode="count")'),),
    "static-object-recreated": (
        (_FUNCTION, "class Mode:\n    def __init__(self):\n        self.name = 'share'\n\n\n" + _FUNCTION),
        (_SCORED, _SCORED.replace('mode == "share"', 'getattr(mode, "name", mode) == "share"')),
        *[('mode="share")\n', "mode=Mode())\n")] * 2,
    ),
    "static-hash-unstable": (
        (_FUNCTION, "class Mode:\n    def __eq__(self, other):\n        return isinstance(other, Mode)\n\n"
                    "    def __hash__(self):\n        return id(self)\n\n\n" + _FUNCTION),
        (_SCORED, "return right.mean()"),
        *[('mode="share")\n', "mode=Mode())\n")] * 2,
    ),
    "function-recreated": (_each_epoch("jax.jit(lambda image: image * 2)(test_images)"),),
    "closure-value-changed": (_each_epoch("jax.jit(lambda image: image * epoch)(test_images)"),),
    "method-owner-changed": (
        (_FUNCTION, "class Brightness:\n    def apply(self, images):\n        return images * 2\n\n\n" + _FUNCTION),
        _each_epoch("jax.jit(Brightness().apply)(test_images)"),
    ),
    "context-changed": (
        (_LAST, '    with jax.default_matmul_precision("float32"):\n'
                '        share = score(model, test_images, test_labels, mode="share")\n    print('),
    ),
    "cache-cleared": (_before_last("jax.clear_caches()"),),
    "new-combination": (
        _before_last('[score(model, test_images[:n], test_labels[:n], mode=mode)'
                     ' for n, mode in ((99, "share"), (1547, "count"), (99, "count"))]'),
    ),
    "earlier-trace-failed": (
        (_FUNCTION, "missing = ['weights.npz']\n\n\n" + _FUNCTION),
        ("    right = model(images)", "    if missing:\n        raise FileNotFoundError(missing.pop())\n"
                                     "    right = model(images)"),
        (_LOOP, '        try:\n            score(model, test_images, test_labels, mode="share")\n'
                "        except FileNotFoundError:\n            pass\n" + _LOOP),
    ),
    "committed-changed": (_before_last("test_images = jax.device_put(test_images, jax.devices()[0])"),),
    "sharding-changed": ((_NORMALIZED, _PLACED.format(kind="Auto")),),
    "device-changed": (
        (_NORMALIZED, _NORMALIZED
         + "    for device in jax.devices():\n"
         + _PLAIN.format(pixels="jax.device_put(pixels, device)")),
    ),
    "layout-changed": (
        (_NORMALIZED, _NORMALIZED
         + "    from jax.experimental.layout import Format, Layout\n"
         + "    for order in ((0, 1), (1, 0)):\n"
         + "        layout = Format(Layout(order), jax.sharding.SingleDeviceSharding(jax.devices()[0]))\n"
         + _PLAIN.format(pixels="jax.device_put(pixels, layout)")),
    ),
    "jit-options-changed": (
        (_FUNCTION, "def doubled(images):\n    return images * 2\n\n\n" + _FUNCTION),
        (_NORMALIZED, _NORMALIZED + "    jax.jit(doubled)(pixels)\n"
                                    "    jax.jit(doubled, donate_argnums=0)(jnp.array(pixels))\n"),
    ),
}  # fmt: skip
"""Avoidable cause → the edits that plant it."""

NOT_PLANTED = {
    "cache-evicted": "no supported JAX limits its cache of traces (jax/_src/interpreters/partial_eval.py: "
    "trace_to_jaxpr, maxsize=None), so that nothing is evicted; the cause is tested on made-up records",
    "unknown": "it is what is said where no other cause is found",
}
"""Avoidable causes that no edit can plant, and why."""


def edited(slug: str) -> str:
    """The program with one regression."""
    return replaced(BASE, REGRESSIONS[slug])
