"""The public door: ``bucketed``."""

from collections.abc import Callable
from typing import Any

from stagelight.bucketing.bucketed_function import BucketedFunction
from stagelight.bucketing.options import Names, Options, as_names


def bucketed(
    function: Callable[..., Any] | None = None,
    *,
    dims: Any,
    buckets: Any = None,
    outputs: str = "numpy",
    on_unsupported: str = "error",
    check_first: bool = True,
    padding: str = "zeros",
    loops: str = "true-size",
    static_argnames: Names | None = None,
    static_argnums: Names | None = None,
    donate_argnames: Names | None = None,
    donate_argnums: Names | None = None,
    in_shardings: Any = None,
) -> Any:
    """Compile a function once per bucket of sizes, with exact results and no masks in your code.

    The function is traced once with symbolic sizes. Its ragged arguments are padded to the capacity of their bucket,
    and its program is run by rules that mask exactly where a primitive would mix padding with data. Booleans,
    integers and indices are equal to the unpadded function's; floats are, but for the order of sums.

    Args:
        function: The function. Left out, this is a decorator.
        dims: Which axes are ragged, and the names of their sizes: a pytree prefix of the arguments by name, such as
            ``{"batch": {0: "b"}}`` for axis 0 of every array in ``batch``. A dict with only integer keys maps axes to
            names. A size may be an expression, such as ``"2*b"``, of names that some axis has alone.
        buckets: A policy for all sizes, or a dict of policies by name: ``powers_of_two(8)`` (the default),
            ``geometric(1.25)``, ``multiples(64)``, ``edges(8, 32)``, ``fit(sizes)``, or a list of capacities.
        outputs: What ragged results are: ``"numpy"`` arrays, ``"jax"`` arrays put back on the device without a
            compile, or ``"padded"`` pairs of the array at its capacity and its true shape, which wait for nothing.
            Results without a ragged axis stay on the device in any case.
        on_unsupported: ``"error"`` raises where padding would change a result and no rule masks it; ``"exact"`` runs
            such calls without padding, one compile per size.
        check_first: Compare the first call of each bucket: that of the first with the unpadded function, which costs
            one compile, and that of each later one with a bucket that was compared, on the data that fits both.
        padding: ``"poison"`` fills padding with NaN and huge integers, to put the function to the test.
        loops: A scan over a ragged axis runs its ``"true-size"``, or its ``"capacity"`` with turns masked, which
            suits accelerators where a trip count known only at run time is slow.
        static_argnames: Arguments whose values are part of the program, as for ``jax.jit``.
        static_argnums: The same by position.
        donate_argnames: Arguments whose buffers may be reused, as for ``jax.jit``.
        donate_argnums: The same by position.
        in_shardings: Shardings of the padded arguments: a tuple by position or a dict by name. Capacities must divide
            over the devices of the axis that they are split over.

    Returns:
        A function with the same signature. It works as a method, under an outer ``jit``, ``vmap`` and reverse-mode
        ``grad``, and has ``compiles``, ``buckets()`` and ``warm(...)``.

    Raises:
        UsageError: An option or ``dims`` is malformed.

    Example:
        >>> import jax.numpy as jnp, numpy as np, stagelight
        >>> @stagelight.bucketed(dims={"x": {0: "n"}})
        ... def mean(x):
        ...     return x.mean(0)
        >>> [float(mean(np.arange(n, dtype=np.float32))) for n in (9, 12, 16)]
        [4.0, 5.5, 7.5]
        >>> mean.compiles
        1
    """
    options = Options(
        buckets=buckets,
        outputs=outputs,
        on_unsupported=on_unsupported,
        check_first=check_first,
        padding=padding,
        loops=loops,
        in_shardings=in_shardings,
        static=(*as_names(static_argnames), *as_names(static_argnums)),
        donated=(*as_names(donate_argnames), *as_names(donate_argnums)),
    )
    if function is None:
        return lambda decorated: BucketedFunction(decorated, dims, options)
    return BucketedFunction(function, dims, options)
