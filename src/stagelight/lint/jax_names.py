"""What the analysis knows about names of JAX and NumPy: tables, no logic."""

from stagelight.lint.word_list import names

METADATA_ATTRIBUTES = names(
    "shape dtype ndim size aval sharding weak_type itemsize nbytes _fields __class__ __name__ treedef "
    "is_fully_addressable"
)
"""Attributes of arrays that are known while tracing."""

ARRAY_PROPERTIES = frozenset(["T", "mT", "real", "imag", "at", "flat"])
"""Attributes of arrays that hold data."""

ARRAY_METHODS = names(
    "sum mean max min prod std var any all argmax argmin argsort astype reshape ravel flatten squeeze swapaxes "
    "dot cumsum cumprod clip repeat conj conjugate diagonal ptp nonzero block_until_ready searchsorted"
)
"""Methods that an object has only if it is an array."""

ENTERTAINED_BY_ARRAYS = names("take round trace transpose copy view sort compress choose")
"""Methods that arrays have, and other objects too."""

CONCRETIZING_METHODS = frozenset(["item", "tolist", "__bool__", "__int__", "__float__", "__index__", "__complex__"])

METADATA_FUNCTIONS = names(
    "shape ndim size dtype result_type promote_types issubdtype isscalar iterable broadcast_shapes finfo iinfo "
    "can_cast errstate seterr isdtype iscomplexobj isrealobj printoptions set_printoptions get_printoptions save "
    "savez axis_size conv_dimension_numbers ConvDimensionNumbers GatherDimensionNumbers ScatterDimensionNumbers "
    "default_backend canonicalize_dtype min_scalar_type get_printoptions"
)
"""Functions of ``jax.numpy``, ``numpy`` and ``jax.lax`` that read shapes and dtypes only."""

NOT_ARRAYS = names(
    "pi e inf nan newaxis euler_gamma float16 float32 float64 bfloat16 int4 int8 int16 int32 int64 uint4 uint8 "
    "uint16 uint32 uint64 bool_ complex64 complex128 floating integer inexact number generic ndarray ufunc dtype "
    "signedinteger unsignedinteger complexfloating float_ int_ uint Precision GatherScatterMode"
)
"""Names of ``jax.numpy`` and ``numpy`` that are not functions giving arrays when they are only mentioned."""

BOOLEAN_FUNCTIONS = names(
    "isnan isfinite isinf isposinf isneginf logical_and logical_or logical_not logical_xor any all equal "
    "not_equal less greater less_equal greater_equal isclose allclose array_equal isin signbit bernoulli gt lt ge "
    "le eq ne iscomplex isreal is_finite in1d"
)
"""Functions whose result is an array of bools."""

INEXACT_FUNCTIONS = names(
    "sin cos tan exp exp2 expm1 log log1p log2 log10 sqrt rsqrt cbrt tanh sinh cosh arctan arctan2 arcsin arccos "
    "mean average std var normal uniform softmax sigmoid logistic relu_ gelu silu swish linspace logspace "
    "log_softmax logsumexp norm divide true_divide truncated_normal gumbel exponential beta gamma laplace"
)
"""Functions whose result is never an array of ints."""

STRONG_FUNCTIONS = names(
    "zeros ones empty eye identity arange linspace normal uniform bernoulli randint permutation truncated_normal "
    "float32 float64 float16 bfloat16 int32 int64 int8 int16 uint8 uint32 key split PRNGKey one_hot"
)
"""Functions whose result has a strong dtype, whatever they are given; checked against JAX in the tests."""

WEAK_KEEPING_FUNCTIONS = names(
    "full full_like array asarray zeros_like ones_like abs negative sin cos tan exp log sqrt tanh square add "
    "subtract multiply maximum minimum where max min power dot matmul clip stack concatenate reshape"
)
"""Functions whose result is weak when all their array operands are weak, and strong when one is strong."""

DATA_DEPENDENT_FUNCTIONS = names(
    "nonzero argwhere flatnonzero unique unique_values unique_counts unique_all unique_inverse union1d "
    "intersect1d setdiff1d setxor1d extract compress trim_zeros"
)
"""Functions whose result's shape depends on data, unless ``size=`` fixes it."""

SHAPE_PARAMETERS: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "jax.numpy.zeros": ((0,), ("shape",)),
    "jax.numpy.ones": ((0,), ("shape",)),
    "jax.numpy.empty": ((0,), ("shape",)),
    "jax.numpy.full": ((0,), ("shape",)),
    "jax.numpy.arange": ((0, 1, 2), ("start", "stop", "step")),
    "jax.numpy.eye": ((0, 1), ("N", "M")),
    "jax.numpy.identity": ((0,), ("n",)),
    "jax.numpy.linspace": ((2,), ("num",)),
    "jax.numpy.logspace": ((2,), ("num",)),
    "jax.numpy.broadcast_to": ((1,), ("shape",)),
    "jax.numpy.tile": ((1,), ("reps",)),
    "jax.numpy.tri": ((0, 1), ("N", "M")),
    "jax.numpy.reshape": ((1,), ("shape",)),
    "jax.numpy.expand_dims": ((1,), ("axis",)),
    "jax.numpy.squeeze": ((1,), ("axis",)),
    "jax.numpy.concatenate": ((1,), ("axis",)),
    "jax.numpy.stack": ((1,), ("axis",)),
    "jax.numpy.split": ((1,), ("axis",)),
    "jax.numpy.array_split": ((1,), ("axis",)),
    "jax.nn.one_hot": ((1,), ("num_classes",)),
    "jax.lax.dynamic_slice": ((2,), ("slice_sizes",)),
    "jax.lax.dynamic_slice_in_dim": ((2,), ("slice_size",)),
    "jax.lax.top_k": ((1,), ("k",)),
    "jax.lax.iota": ((1,), ("size",)),
    "jax.lax.broadcast": ((1,), ("sizes",)),
    "jax.lax.reshape": ((1,), ("new_sizes",)),
    "jax.random.normal": ((1,), ("shape",)),
    "jax.random.uniform": ((1,), ("shape",)),
    "jax.random.randint": ((1,), ("shape",)),
    "jax.random.bernoulli": ((2,), ("shape",)),
    "jax.random.split": ((1,), ("num",)),
    "jax.random.choice": ((2,), ("shape",)),
    **{
        f"jax.numpy.{name}": ((1,), ("axis",))
        for name in names("sum mean max min prod any all argmax argmin std var cumsum cumprod argsort sort")
    },
}
"""Where functions take shapes, sizes and axes: positions and keywords."""

METHOD_SHAPE_PARAMETERS: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "reshape": (tuple(range(8)), ("shape",)),
    **dict.fromkeys(
        [
            "sum",
            "mean",
            "max",
            "min",
            "prod",
            "any",
            "all",
            "argmax",
            "argmin",
            "std",
            "var",
            "cumsum",
            "cumprod",
            "argsort",
            "squeeze",
        ],
        ((0,), ("axis",)),
    ),
}

NUMPY_DELEGATING = names(
    "all amax amin any argmax argmin argsort around array_equal array_equiv cumprod cumsum diff flip imag isreal max "
    "mean min permute_dims prod real repeat rollaxis round squeeze std sum transpose unstack var"
)
"""NumPy functions that call a method of their argument, so that a tracer passes through; checked in the tests."""

STRUCTURE_KEEPING = names(
    "pmean pmax pmin psum all_gather ppermute stop_gradient optimization_barrier pvary pcast all_to_all "
    "psum_scatter with_sharding_constraint pbroadcast device_put block_until_ready"
)
"""Functions that give back the pytree they were given, with other leaves."""

CALLBACKS = frozenset(
    (
        "jax.pure_callback",
        "jax.experimental.io_callback",
        "jax.debug.callback",
        "jax.experimental.pure_callback",
        "jax.experimental.host_callback.call",
        "jax.experimental.host_callback.id_tap",
    )
)
"""Functions whose first argument runs on the host: it is not traced."""

HOST_QUERIES = names(
    "device_count local_device_count process_index process_count devices local_devices default_backend typeof "
    "named_scope host_id"
)

CLOCKS = frozenset(
    [
        "time.time",
        "time.perf_counter",
        "time.monotonic",
        "time.time_ns",
        "time.process_time",
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
    ]
)

LOG_METHODS = frozenset(["debug", "info", "warning", "error", "critical", "exception", "log", "warn"])
