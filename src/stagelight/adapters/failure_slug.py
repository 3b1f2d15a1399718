"""Name the kind of a failed trace from JAX's error and the syntax of the expression that raised it.

The errors are those of ``jax/_src/errors.py``; messages are matched where JAX raises a plain ``TypeError`` or
``ValueError`` (``jax/_src/lax/control_flow``, ``jax/_src/core.py: canonicalize_shape``, and jaxlib for static arguments
and pytree metadata).
"""

import ast
import re

FAILURES = (
    "traced-condition",
    "traced-bool-op",
    "traced-concretize",
    "traced-index-or-range",
    "traced-shape-argument",
    "numpy-on-traced",
    "data-dependent-shape",
    "traced-setitem",
    "unhashable-static-argument",
    "metadata-not-comparable",
    "tracer-leak",
    "shape-mismatch",
    "branch-types-differ",
    "carry-type-differs",
    "rejected-while-tracing",
    "other",
)

TRACING_ERRORS = frozenset(
    {
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
        "TracerArrayConversionError",
        "ConcretizationTypeError",
        "NonConcreteBooleanIndexError",
        "UnexpectedTracerError",
    }
)

# The first pattern that is found decides; shapes come last because many other messages mention them.
_SLUG_OF_MESSAGE = tuple(
    (slug, re.compile(pattern, re.DOTALL))
    for slug, pattern in (
        ("unhashable-static-argument", r"Non-hashable static argument"),
        ("metadata-not-comparable", r"equality of metadata fields|Equality of .{1,40} led to an exception"),
        ("traced-setitem", r"immutable and do not support in-place item assignment"),
        ("branch-types-differ", r"\b(cond|switch|platform_dependent)\b.{0,40}\bbranch(es)?\b.{0,60}\bmust have"),
        ("branch-types-differ", r"true_fun (and|output).{0,40}must have (identical|the same)"),
        ("carry-type-differs", r"carry input and carry output must|body_fun output and input must"),
        ("traced-shape-argument", r"Shapes must be 1D sequences of concrete values"),
        ("traced-index-or-range", r"Array slice indices must have static|Slice entries must be static integers"),
        ("traced-index-or-range", r"only integer scalar arrays can be converted to a scalar index"),
        ("traced-index-or-range", r"can't multiply sequence by non-int of type '\w*Tracer'"),
        (
            "traced-index-or-range",
            r"for \*: '(list|tuple|str)' and '\w*Tracer'|for \*: '\w*Tracer' and '(list|tuple|str)'",
        ),
        ("traced-index-or-range", r"indices must be integers or slices, not \w*Tracer"),
        ("traced-concretize", r"unsupported format string passed to \w*Tracer"),
        ("shape-mismatch", r"(?i)\bshapes?\b|contracting dimension|inconsistent sizes|does not match previous terms"),
        ("shape-mismatch", r"(?i)too many indices|numbers? of dimensions|\b\w*-dimensional\b|\bndim\b"),
    )
)

_TRUTH_BUILTINS = frozenset({"max", "min", "sorted", "any", "all", "filter"})
_TRUTH_METHODS = frozenset({"sort", "index", "remove", "count"})
_CONVERTERS = frozenset({"int", "float", "complex", "bool", "round", "hash", "item", "tolist", "str", "format"})
# Functions of jax.numpy whose result has as many elements as the data says.
_SIZED_BY_DATA = frozenset(
    {
        "argwhere",
        "bincount",
        "compress",
        "delete",
        "extract",
        "flatnonzero",
        "intersect1d",
        "nonzero",
        "repeat",
        "setdiff1d",
        "setxor1d",
        "trim_zeros",
        "union1d",
        "unique",
        "unique_all",
        "unique_counts",
        "unique_inverse",
        "unique_values",
        "where",
    }
)


def slug_of_failure(
    error_type_name: str,
    message: str,
    node: ast.AST | None = None,
    ancestors: tuple[ast.AST, ...] = (),
    *,
    is_own_raise: bool = False,
    is_raised_inside: bool = False,
) -> str:
    """Name the failure, one of :data:`FAILURES`.

    Args:
        error_type_name: Name of the exception's class.
        message: Its text.
        node: The exact sub-expression that raised it, where known.
        ancestors: Its parents, the nearest first.
        is_own_raise: Whether the user's own ``raise`` or ``assert`` raised it.
        is_raised_inside: Whether Python code below the user's raised it: NumPy raises its own from C.

    >>> import ast
    >>> test = ast.parse("x > 0", mode="eval").body
    >>> slug_of_failure("TracerBoolConversionError", "Attempted boolean conversion", test)
    'traced-condition'
    """
    by_type = _SLUG_OF_ERROR.get(error_type_name)
    if by_type is not None:
        return by_type(message, node, ancestors)
    if is_own_raise:
        return "rejected-while-tracing"
    if re.match(r"unhashable type: '\w*Tracer'", message):
        return _slug_of_hash(node)
    if "truth value of an array" in message and called_name(node):
        # NumPy's words for two arrays in pytree metadata, which a call into JAX compared.
        return "metadata-not-comparable"
    if "truth value of an array" in message and is_raised_inside:  # jax/_src/core.py: check_bool_conversion
        return _slug_of_truth(message, node, ancestors)
    for slug, pattern in _SLUG_OF_MESSAGE:
        if pattern.search(message):
            return slug
    return "other"


def _slug_of_truth(_message: str, node: ast.AST | None, ancestors: tuple[ast.AST, ...]) -> str:
    called = called_name(node)
    if called in _CONVERTERS:
        return "traced-concretize"
    if asks_for_truth(node) or _is_logical(node) or (ancestors and _is_logical(ancestors[0])):
        return "traced-bool-op"
    return "traced-condition"


def _slug_of_concrete(message: str, node: ast.AST | None, _ancestors: tuple[ast.AST, ...]) -> str:
    called = called_name(node)
    if called in _CONVERTERS or _called_module(node) in {"math", "cmath", "operator"}:
        return "traced-concretize"
    if called in _SIZED_BY_DATA or re.search(r"concrete value for the size|size argument of jnp\.", message):
        return "data-dependent-shape"
    if isinstance(node, ast.Subscript):
        return "numpy-on-traced" if isinstance(node.ctx, ast.Store) else "traced-index-or-range"
    return "traced-shape-argument" if called else "traced-concretize"


def _slug_of_integer(_message: str, node: ast.AST | None, _ancestors: tuple[ast.AST, ...]) -> str:
    called = called_name(node)
    if called in _CONVERTERS or _called_module(node) in {"math", "operator"}:
        return "traced-concretize"
    if called and called not in {"range", "islice", "pop", "insert"}:
        return "traced-shape-argument"
    return "traced-index-or-range"


def _slug_of_hash(node: ast.AST | None) -> str:
    if isinstance(node, ast.Compare):
        return "traced-condition"
    if isinstance(node, ast.Subscript) or called_name(node) in {"get", "pop", "setdefault"}:
        return "traced-index-or-range"
    return "traced-concretize"


_SLUG_OF_ERROR = {
    "TracerBoolConversionError": _slug_of_truth,
    "ConcretizationTypeError": _slug_of_concrete,
    "TracerIntegerConversionError": _slug_of_integer,
    "TracerArrayConversionError": lambda _message, _node, _ancestors: "numpy-on-traced",
    "NonConcreteBooleanIndexError": lambda _message, _node, _ancestors: "data-dependent-shape",
    "UnexpectedTracerError": lambda _message, _node, _ancestors: "tracer-leak",
}


def called_name(node: ast.AST | None) -> str:
    """Last name of what a call calls (``jnp.sum(x)`` → ``sum``); empty for anything else.

    >>> called_name(ast.parse("jnp.sum(x)", mode="eval").body)
    'sum'
    """
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def asks_for_truth(node: ast.AST | None) -> bool:
    """Whether a call compares its arguments and needs the truth of each (``max``, ``sorted``, ``list.index``).

    ``jnp.all(x)`` is none: there the truth of its result is asked for, outside.
    """
    if not isinstance(node, ast.Call):
        return False
    names = _TRUTH_BUILTINS if isinstance(node.func, ast.Name) else _TRUTH_METHODS
    return called_name(node) in names


def _called_module(node: ast.AST | None) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        return node.func.value.id
    return ""


def _is_logical(node: ast.AST | None) -> bool:
    return isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
