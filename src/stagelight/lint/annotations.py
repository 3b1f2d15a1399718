"""What a parameter's annotation says about the value it takes."""

from __future__ import annotations

import ast
import enum

from stagelight.lint.word_list import names

_ARRAY_NAMES = names("Array ArrayImpl KeyArray PRNGKeyArray PRNGKey")
_JAXTYPING_NAMES = names(
    "Float Int UInt Bool Integer Inexact Complex Num Shaped Real Key Float16 Float32 Float64 BFloat16 Int32 Int64"
)
_CONTAINER_NAMES = names(
    "ArrayLike ArrayTree PyTree Any Params FrozenDict Dict dict Mapping list List tuple Tuple Sequence Batch"
)
_CALLABLE_NAMES = frozenset(["Callable", "Type", "type", "Protocol"])
_SCALAR_NAMES = frozenset(["bool", "int", "float", "complex"])


class Annotated(enum.Enum):
    """The kinds of annotation that the analysis tells apart."""

    NOTHING = "nothing"
    ARRAY = "array"
    HOST_ARRAY = "host array"
    SCALAR = "scalar"
    STRING = "string"
    OPTIONAL = "optional"
    CONTAINER = "container"
    CALLABLE = "callable"
    CLASS = "class"


def annotated_kind(annotation: ast.expr | None) -> Annotated:
    """Return the kind of an annotation, by its outermost name."""
    if annotation is None:
        return Annotated.NOTHING
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotated_kind(_quoted(annotation.value))
    if _is_optional(annotation):
        return Annotated.OPTIONAL
    name = last_name(annotation)
    if name in _JAXTYPING_NAMES:
        # Their names are common; only with a shape, `Float[Array, "b n"]`, are they surely jaxtyping's.
        return Annotated.ARRAY if isinstance(annotation, ast.Subscript) else Annotated.CLASS
    if name == "ndarray":
        return Annotated.HOST_ARRAY if _first_name(annotation) in ("np", "numpy", "onp") else Annotated.ARRAY
    kinds = (
        (_ARRAY_NAMES, Annotated.ARRAY),
        (_SCALAR_NAMES, Annotated.SCALAR),
        (_CONTAINER_NAMES, Annotated.CONTAINER),
        (_CALLABLE_NAMES, Annotated.CALLABLE),
        (("str", "Literal"), Annotated.STRING),
    )
    for listed, kind in kinds:
        if name in listed:
            return kind
    return Annotated.CLASS if name else Annotated.CONTAINER


def certainly_array(annotation: ast.expr | None) -> bool:
    """Whether the annotation promises a JAX array."""
    return annotated_kind(annotation) is Annotated.ARRAY


def last_name(node: ast.expr) -> str:
    """Return the last part of a dotted, possibly subscripted name: ``jaxtyping.Float[Array, "b"]`` → ``Float``."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _first_name(node: ast.expr) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_optional(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return True
    return isinstance(node, ast.Subscript) and last_name(node) in ("Optional", "Union")


def _quoted(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
