"""A call written in JAX's notation: ``f32[32,128], {'w': f32[3]}, mode="sum"``."""

import ast
import re
from collections.abc import Mapping

from stagelight.errors import UsageError

_AVAL = re.compile(
    r"""(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    r"|(?P<weak>~?)(?<![\w.])(?P<dtype>bool|key<\w+>|bf16|f8_\w+|[fiuc]\d+)\[(?P<shape>[\d,\s]*)\]"
)
_LONG = {"f": "float", "i": "int", "u": "uint", "c": "complex"}


def arguments_from_call(text: str, namespace: Mapping[str, object]) -> tuple[tuple[object, ...], dict[str, object]]:
    """Positional and keyword arguments of a call; arrays in JAX's notation become abstract arrays.

    Args:
        text: What stands between the parentheses.
        namespace: The module's globals: other names and calls in the text are its own.

    Raises:
        UsageError: The text is no call.
    """
    written = _AVAL.sub(_as_python, text)
    try:
        node = ast.parse(f"_({written}\n)", mode="eval").body
    except SyntaxError as error:
        message = f"cannot read the call {text!r}: {error.msg}; write it like 'f32[32,128], mode=\"sum\"'"
        raise UsageError(message) from error
    scope = {**namespace, "_aval": _abstract}
    try:
        arguments = tuple(_value(a, scope) for a in node.args)
        keywords = {str(k.arg): _value(k.value, scope) for k in node.keywords}
    except Exception as error:
        message = f"cannot evaluate the call {text!r}: {type(error).__name__}: {error}"
        raise UsageError(message) from error
    return arguments, keywords


def _as_python(found: re.Match[str]) -> str:
    if found["text"] is not None:
        return found["text"]
    return f"_aval({found['dtype']!r}, ({found['shape'].strip().rstrip(',')},), {bool(found['weak'])})".replace(
        "(,)", "()"
    )


def _value(node: ast.expr, scope: dict[str, object]) -> object:
    return eval(compile(ast.Expression(node), "<call>", "eval"), scope)


def _abstract(dtype: str, shape: tuple[int, ...], weak: bool) -> object:
    import jax
    import jax.numpy as jnp

    if dtype.startswith("key"):
        return jax.random.key(0) if not shape else jax.random.split(jax.random.key(0), shape)
    return jax.ShapeDtypeStruct(shape, jnp.dtype(_long_name(dtype)), weak_type=weak)


def _long_name(dtype: str) -> str:
    """NumPy's name of a short dtype.

    >>> _long_name("f32"), _long_name("bf16"), _long_name("bool")
    ('float32', 'bfloat16', 'bool')
    """
    if dtype == "bool":
        return dtype
    if dtype.startswith("bf"):
        return "bfloat" + dtype[2:]
    if dtype.startswith("f8_"):
        return "float8_" + dtype[3:]
    return _LONG[dtype[0]] + dtype[1:]
