"""Run original and repair on the same inputs, and compare structure, shape, dtype, value and gradient."""

import contextlib
import dataclasses
import io
from collections.abc import Callable, Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from stagelight.adapters.private_tracing import private_tracing
from stagelight.model.repair import ConditionDriven, Coverage
from stagelight.repair.generated_inputs import generated_inputs
from stagelight.repair.reference import Range, TruthRecorder
from stagelight.repair.refusal import Refusal

INPUTS = 64
FEWEST_INPUTS = 8
FEWEST_EITHER_WAY = 3
MOST_GRADIENTS = 16
LOST = "the reverse-mode gradient is lost: JAX cannot run this loop backwards"
UNCHECKED = "gradients were not compared: the original has none that could be computed on these inputs"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sides:
    """Both sides of a comparison.

    Attributes:
        original: Runs eagerly.
        repaired: Runs under ``jax.jit``.
        static: Names of its static arguments.
        parameters: Names of all parameters, in order.
        example: The arguments of one call, in order.
        texts: By position, further texts that an argument may be.
        tests: Conditions of the original that must go either way: place → text.
        prints: Whether what is printed must agree too.
    """

    original: Callable
    repaired: Callable
    static: tuple[str, ...]
    parameters: tuple[str, ...]
    example: tuple[object, ...]
    texts: Mapping[int, Sequence[str]]
    tests: Mapping[Range, str]
    prints: bool = False


def compared(sides: Sides, recorder: TruthRecorder) -> tuple[Coverage, tuple[str, ...]]:
    """Run both sides on generated inputs.

    Returns:
        What was compared, and what to be cautious of.

    Raises:
        Refusal: They differ somewhere, the repair fails, or too little could be compared.
    """
    with private_tracing():
        comparison = _Comparison(sides)
        for arguments in generated_inputs(sides.example, INPUTS, texts=sides.texts):
            recorder.begin()
            comparison.compare(arguments)
        return comparison.finished(recorder)


class _Comparison:
    def __init__(self, sides: Sides) -> None:
        self.sides = sides
        self.is_static = [name in sides.static for name in sides.parameters[: len(sides.example)]]
        numbers = tuple(i for i, fixed in enumerate(self.is_static) if fixed)
        self.traces = 0
        self.jitted = jax.jit(self._counted, static_argnums=numbers)
        self.inputs = self.gradients = 0
        self.signatures: set[object] = set()
        self.cautions: dict[str, None] = {}
        self.differentiates = True
        self.compiled_gradients: dict[tuple[int, ...], Callable] = {}

    def _counted(self, *arguments: object) -> object:
        self.traces += 1
        return self.sides.repaired(*arguments)

    def compare(self, arguments: tuple[object, ...]) -> None:
        given = [_placed(a, fixed) for a, fixed in zip(arguments, self.is_static, strict=True)]
        try:
            expected, expected_print = self._run_original(given)
        except Exception:  # the original itself rejects this input
            return
        try:
            result, printed = _printing(lambda: self.jitted(*given))
        except Exception as error:
            reason = f"the repaired function fails: {type(error).__name__}: {_first_line(error)}"
            raise Refusal(_named_dtype(reason, error)) from error
        difference = _difference(expected, result)
        if difference:
            raise Refusal(f"the results differ in {difference} for {_shown(arguments)}")
        if self.sides.prints and expected_print != printed:
            raise Refusal(f"the printed text differs: {expected_print.strip()[:60]!r}, {printed.strip()[:60]!r}")
        self.inputs += 1
        self.signatures.add(_signature(given, self.is_static))
        self._compare_gradients(given, expected)

    def _run_original(self, given: Sequence[object]) -> tuple[object, str]:
        with jax.disable_jit():
            return _printing(lambda: self.sides.original(*given))

    def _compare_gradients(self, given: list[object], expected: object) -> None:
        floats = [i for i, a in enumerate(given) if not self.is_static[i] and _is_differentiable(a)]
        if not floats or not _float_leaves(expected) or not self.differentiates or self.gradients >= MOST_GRADIENTS:
            return
        try:
            with jax.disable_jit():
                wanted, _ = _printing(lambda: jax.grad(_summed(self.sides.original), argnums=floats)(*given))
        except Exception:  # the original has no gradient here
            return
        if not all(bool(jnp.all(jnp.isfinite(g))) for g in jax.tree_util.tree_leaves(wanted)):
            return
        try:
            found, _ = _printing(lambda: self._gradient(tuple(floats))(*given))
        except ValueError as error:
            if "Reverse-mode" not in str(error):
                raise Refusal(f"the gradient of the repaired function fails: {_first_line(error)}") from error
            self.differentiates = False
            self.cautions[LOST] = None
            return
        difference = _difference(wanted, found)
        if difference:
            raise Refusal(f"the gradients differ in {difference} for {_shown(given)}")
        self.gradients += 1

    def _gradient(self, floats: tuple[int, ...]) -> Callable:
        """The repaired function's gradient, compiled once."""
        if floats not in self.compiled_gradients:
            numbers = tuple(i for i, fixed in enumerate(self.is_static) if fixed)
            gradient = jax.grad(_summed(self.sides.repaired), argnums=floats)
            self.compiled_gradients[floats] = jax.jit(gradient, static_argnums=numbers)
        return self.compiled_gradients[floats]

    def finished(self, recorder: TruthRecorder) -> tuple[Coverage, tuple[str, ...]]:
        tests = []
        for place, text in self.sides.tests.items():
            if recorder.counts and place not in recorder.counts:
                continue  # a condition nested in a branch, and decided while tracing
            false, true = recorder.counts.get(place, [0, 0])
            if min(false, true) < FEWEST_EITHER_WAY:
                raise Refusal(f"`{text}` could not be driven both ways (true {true} times, false {false} times)")
            tests.append(ConditionDriven(line=place[0], text=text, true=true, false=false))
        if self.inputs < FEWEST_INPUTS:
            raise Refusal(f"only {self.inputs} of {INPUTS} generated inputs run on the original")
        if not self.gradients and self.differentiates:
            self.cautions[UNCHECKED] = None
        coverage = Coverage(
            inputs=self.inputs,
            gradients=self.gradients,
            traces=self.traces,
            signatures=len(self.signatures),
            tests=tuple(tests),
        )
        return coverage, tuple(self.cautions)


def _placed(value: object, is_static: bool) -> object:
    """Numbers become arrays on both sides, as they are under jit, so that arithmetic is that of JAX."""
    if is_static:
        return value
    return jax.tree_util.tree_map(
        lambda leaf: jnp.asarray(leaf) if isinstance(leaf, bool | int | float) else leaf, value
    )


def _printing(run: Callable[[], object]) -> tuple[object, str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = run()
        jax.effects_barrier()
    return result, printed.getvalue()


def _difference(expected: object, found: object) -> str:
    """What differs first; empty where nothing does."""
    one, structure = jax.tree_util.tree_flatten(expected)
    other, other_structure = jax.tree_util.tree_flatten(found)
    if structure != other_structure:
        return f"structure ({structure} and {other_structure})"
    for a, b in zip(one, other, strict=True):
        if isinstance(a, str) or isinstance(b, str):
            return "" if a == b else "value"
        x, y = jnp.asarray(a), jnp.asarray(b)
        if x.shape != y.shape:
            return f"shape ({x.shape} and {y.shape})"
        if x.dtype != y.dtype:
            return f"dtype ({x.dtype} and {y.dtype})"
        if not _is_close(x, y):
            return f"value ({np.asarray(x).ravel()[:3]} and {np.asarray(y).ravel()[:3]})"
    return ""


def _is_close(x: jax.Array, y: jax.Array) -> bool:
    if jnp.issubdtype(x.dtype, jax.dtypes.prng_key):
        return bool(jnp.all(jax.random.key_data(x) == jax.random.key_data(y)))
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        return bool(jnp.all(x == y))
    # A compiled sum may round otherwise than one operation after the other: a few units in the last place.
    precision = float(jnp.finfo(x.dtype).eps)
    wide = np.complex128 if jnp.issubdtype(x.dtype, jnp.complexfloating) else np.float64
    a, b = np.asarray(x).astype(wide), np.asarray(y).astype(wide)
    return bool(np.allclose(a, b, rtol=50 * precision, atol=4 * precision, equal_nan=True))


def _is_differentiable(value: object) -> bool:
    leaves = jax.tree_util.tree_leaves(value)
    return bool(leaves) and all(jnp.issubdtype(jnp.asarray(leaf).dtype, jnp.floating) for leaf in leaves)


def _float_leaves(value: object) -> list[object]:
    leaves = jax.tree_util.tree_leaves(value)
    return [leaf for leaf in leaves if jnp.issubdtype(jnp.asarray(leaf).dtype, jnp.floating)]


def _summed(function: Callable) -> Callable:
    def total(*arguments: object) -> object:
        # Each number has a weight of its own, so that differences cannot cancel.
        leaves = [jnp.asarray(leaf) for leaf in _float_leaves(function(*arguments))]
        return sum(jnp.sum(x * (1.0 + jnp.arange(x.size).reshape(x.shape) / 7)) for x in leaves)

    return total


def _signature(given: Sequence[object], is_static: Sequence[bool]) -> object:
    def of(value: object) -> object:
        return (jnp.shape(value), str(jnp.asarray(value).dtype), bool(getattr(value, "weak_type", False)))

    return tuple(
        repr(a) if fixed else str(jax.tree_util.tree_map(of, a)) for a, fixed in zip(given, is_static, strict=True)
    )


def _shown(arguments: Sequence[object]) -> str:
    return ", ".join(str(a).replace("\n", "")[:40] for a in arguments)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:120]


def _named_dtype(reason: str, error: Exception) -> str:
    """The reason with what differs between branches or carries, which JAX says further down."""
    found = [w for w in ("the dtypes do not match", "the shapes do not match") if w in str(error)]
    return f"{reason} ({', '.join(found)})" if found else reason
