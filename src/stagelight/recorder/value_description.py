"""Describe a Python value that entered a key, without keeping it, running its code, or reading an array."""

import dataclasses
import enum
import functools
import hashlib
import os
import types
from typing import Any

from stagelight.model.aval import short_dtype
from stagelight.model.value import ComparedBy, Value
from stagelight.recorder.import_path import import_path
from stagelight.recorder.object_numbers import ObjectNumbers

LONGEST_TEXT = 80
DEEPEST = 4
WIDEST = 24
_MOST_FUNCTIONS = 1024
# Types whose values hold no other value, and whose text is the value.
PLAIN = frozenset({int, float, complex, str, bytes, bool, type(None), type(...), range})
_SEQUENCES = (tuple, list, set, frozenset)
_ARRAY_MODULES = ("jax", "jaxlib", "numpy", "ml_dtypes")
_FUNCTIONS = frozenset({types.FunctionType, types.BuiltinFunctionType, type(functools.lru_cache(lambda: None))})


class ValueDescriber:
    """Makes ``Value`` records.

    User types are described from their fields: never through ``__repr__``, ``__eq__``, ``__hash__`` or a property.

    Args:
        numbers: Numbers of objects that are compared by identity.
        redact: Keep values out: texts become type names, tokens become salted digests.
    """

    def __init__(self, numbers: ObjectNumbers, *, redact: bool = False):
        self._numbers = numbers
        self._redact = redact
        self._salt = os.urandom(16)
        self._functions: dict[int, Value] = {}

    def describe(self, value: Any) -> Value:
        """Describe one value; total, whatever the value does when touched."""
        if type(value) in PLAIN and not self._redact:
            return self._plain(value, type(value))
        try:
            described = self._describe(value, 0)
        except Exception:  # a type that misbehaves even when only its fields are read
            described = self._by_identity(value, f"<{type(value).__name__}>", "", ())
        return self._redacted(described) if self._redact else described

    def _describe(self, value: Any, depth: int) -> Value:
        kind = type(value)
        if kind in PLAIN:
            return self._plain(value, kind)
        if kind in _FUNCTIONS or kind.__name__ in ("PjitFunction", "custom_jvp", "custom_vjp"):
            return self._function(value)
        if issubclass(kind, enum.Enum):
            return Value(type_name=type_name(kind), text=f"{kind.__name__}.{value._name_}", token=value._name_,
                         import_path=import_path(kind))  # fmt: skip
        if issubclass(kind, type):
            token = f"{type_name(value)}#{self._numbers.number(value)}"
            return Value(type_name="type", text=type_name(value), token=token, compared_by="identity",
                         content=type_name(value), import_path=import_path(value))  # fmt: skip
        if kind in _SEQUENCES:
            return self._sequence(value, kind, depth)
        if kind is dict:
            return self._container(kind, [(f"[{short_repr(k)}]", v) for k, v in value.items()], "{", "}", depth)
        if issubclass(kind, tuple) and isinstance(getattr(kind, "_fields", None), tuple):
            named = list(zip(kind._fields, tuple.__iter__(value), strict=False))
            return self._container(kind, named, f"{kind.__name__}(", ")", depth)
        if kind is types.MethodType:
            return self._method(value, depth)
        if kind is functools.partial:
            return self._partial(value, depth)
        if is_array_type(kind):
            return self._array(value, kind)
        return self._object(value, kind, depth)

    def _plain(self, value: Any, kind: type) -> Value:
        text = repr(value)
        if len(text) <= LONGEST_TEXT:
            return Value(type_name=kind.__name__, text=text, token=text)
        return Value(type_name=kind.__name__, text=shortened(text), token=text if len(text) <= 200 else digest(text))

    def _sequence(self, value: Any, kind: type, depth: int) -> Value:
        items = value if kind in (tuple, list) else sorted(value, key=_sort_key)
        opening, closing = {tuple: ("(", ")"), list: ("[", "]")}.get(kind, ("{", "}"))
        return self._container(kind, [(f"[{i}]", v) for i, v in enumerate(items)], opening, closing, depth)

    def _container(self, kind: type, items: list[tuple[str, Any]], opening: str, closing: str, depth: int) -> Value:
        if depth >= DEEPEST:
            return Value(type_name=type_name(kind), text=f"{kind.__name__} of {len(items)}", token=f"{len(items)}…")
        fields = tuple((name, self._describe(item, depth + 1)) for name, item in items[:WIDEST])
        named = not opening.strip("([{")  # a plain bracket: positions need no name
        inner = ", ".join(v.text if named and kind is not dict else f"{n.strip('[]')}: {v.text}" for n, v in fields)
        more = f", … {len(items) - WIDEST} more" if len(items) > WIDEST else ""
        token = digest("|".join(f"{n}={v.type_name}:{v.token}" for n, v in fields) + more)
        content = digest("|".join(f"{n}={v.content or v.token}" for n, v in fields) + more)
        text = shortened(f"{opening}{inner}{more}{',' if kind is tuple and len(items) == 1 else ''}{closing}")
        return Value(type_name=type_name(kind), text=text, token=token, content=content, fields=fields)

    def _method(self, value: types.MethodType, depth: int) -> Value:
        owner, function = self._describe(value.__self__, depth + 1), self._function(value.__func__)
        name = getattr(value.__func__, "__qualname__", "method")
        token = f"{self._numbers.number(value.__self__)}.{function.token}"
        return Value(type_name="method", text=f"<method {name}>", token=token, content=digest(f"{owner.content}{name}"),
                     compared_by="identity", fields=(("__self__", owner),), source=function.source)  # fmt: skip

    def _partial(self, value: functools.partial[Any], depth: int) -> Value:
        inner = self._describe(value.func, depth + 1)
        given = [(f"[{i}]", a) for i, a in enumerate(value.args)] + list(value.keywords.items())
        fields = tuple((n, self._describe(v, depth + 1)) for n, v in given[:WIDEST])
        content = digest(inner.content + "".join(f"{n}{v.content or v.token}" for n, v in fields))
        text = f"partial({inner.text}, {', '.join(f'{n}={v.text}' for n, v in fields)})"
        return self._by_identity(value, shortened(text), content, (("func", inner), *fields), inner.source)

    def _function(self, value: Any) -> Value:
        """Made once for each function object: the same one is met in closures again and again."""
        number = self._numbers.number(value)
        known = self._functions.get(number)
        if known is None:
            if len(self._functions) >= _MOST_FUNCTIONS:
                self._functions.clear()
            known = self._functions[number] = self._described_function(value)
        return known

    def _described_function(self, value: Any) -> Value:
        inner = value
        for _ in range(8):
            wrapped = getattr(inner, "__wrapped__", None)
            if wrapped is None:
                break
            inner = wrapped
        code = getattr(inner, "__code__", None)
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", type(value).__name__)
        source = f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}" if code else ""
        text = f"<{'lambda' if name.endswith('<lambda>') else name}{f' at {source}' if source else ''}>"
        if isinstance(value, types.BuiltinFunctionType):
            return Value(type_name="function", text=text, token=f"{value.__module__}.{name}", content=str(name),
                         import_path=import_path(value))  # fmt: skip
        path = import_path(value)
        return self._by_identity(value, shortened(text), digest(f"{name}{source}"), (), source, path)

    def _array(self, value: Any, kind: type) -> Value:
        name = getattr(getattr(value, "dtype", None), "name", "")
        shape = getattr(value, "shape", None)
        if shape is None or not name:
            return Value(type_name=type_name(kind), text=shortened(str(value)), token=str(value))
        text = f"{short_dtype(name)}[{','.join(map(str, shape))}]"
        if kind.__module__ == "numpy" and shape == () and kind.__name__ != "ndarray":
            return Value(type_name=type_name(kind), text=str(value), token=str(value))
        return self._by_identity(value, text, text, ())

    def _object(self, value: Any, kind: type, depth: int) -> Value:
        compared_by = how_compared(kind)
        attributes = attributes_of(value, kind)
        if depth >= DEEPEST:
            return self._by_identity(value, f"<{kind.__name__}>", kind.__name__, ())
        fields = tuple((n, self._describe(v, depth + 1)) for n, v in attributes[:WIDEST])
        content = digest("|".join(f"{n}={v.type_name}:{v.content or v.token}" for n, v in fields))
        inner = ", ".join(f"{n}={v.text}" for n, v in fields)
        text = shortened(f"{kind.__name__}({inner})" if fields else f"<{kind.__name__}>")
        path = import_path(kind)
        if compared_by == "identity":
            return self._by_identity(value, text, content, fields, path=path)
        if compared_by == "hash" and any(is_array_text(v) for _, v in fields):
            # The hash may read the arrays, which we do not: another array counts as another value.
            content = digest("|".join(f"{n}={v.type_name}:{v.token}" for n, v in fields))
        token = self._token(value, kind, compared_by, fields, content)
        return Value(type_name=type_name(kind), text=text, token=token, compared_by=compared_by,
                     content=content, fields=fields, import_path=path)  # fmt: skip

    def _token(
        self, value: Any, kind: type, compared_by: ComparedBy, fields: tuple[tuple[str, Value], ...], content: str
    ) -> str:
        if compared_by == "value":
            skipped = {f.name for f in getattr(kind, "__dataclass_fields__", {}).values() if not f.compare}
            return digest("|".join(f"{n}={v.type_name}:{v.token}" for n, v in fields if n not in skipped))
        if compared_by == "hash" and is_harmless_hash(kind):
            try:
                return f"hash {hash(value)}"  # JAX has just called it for its key
            except Exception:
                return content
        return content

    def _by_identity(
        self,
        value: Any,
        text: str,
        content: str,
        fields: tuple[tuple[str, Value], ...],
        source: str = "",
        path: str = "",
    ) -> Value:
        return Value(type_name=type_name(type(value)), text=text, token=f"#{self._numbers.number(value)}",
                     compared_by="identity", content=content, fields=fields, source=source,
                     import_path=path)  # fmt: skip

    def _redacted(self, value: Value) -> Value:
        def hidden(token: str) -> str:
            return hashlib.blake2b(self._salt + token.encode(errors="replace"), digest_size=8).hexdigest()

        return Value(
            type_name=value.type_name,
            text=f"<{value.type_name}>",
            token=hidden(value.token),
            compared_by=value.compared_by,
            content=hidden(value.content) if value.content else "",
            fields=tuple((n, self._redacted(v)) for n, v in value.fields),
            source=value.source,
        )


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a text, or another value that holds no other."""
    return type(value) in PLAIN


def type_name(kind: type) -> str:
    """Qualified name of a type, without the module for builtins."""
    name = getattr(kind, "__qualname__", "type")
    return name if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{name}"


def is_array_type(kind: type) -> bool:
    """Whether instances are arrays, array scalars or tracers, judged by where the type is defined."""
    return kind.__module__.partition(".")[0] in _ARRAY_MODULES and hasattr(kind, "dtype")


def is_array_text(value: Value) -> bool:
    """Whether a described value is an array."""
    return value.compared_by == "identity" and value.content == value.text and value.text.endswith("]")


def how_compared(kind: type) -> ComparedBy:
    """How JAX would tell two static values of a type apart."""
    hasher = kind.__hash__
    if hasher is None:
        return "nothing"
    if hasher is object.__hash__:
        return "identity"
    code = getattr(hasher, "__code__", None)
    if code is not None and dataclasses.is_dataclass(kind) and code.co_filename.startswith("<"):
        return "value"  # generated by dataclass(frozen=True) or eq=True, unsafe_hash=True
    return "hash"


def is_harmless_hash(kind: type) -> bool:
    """Whether calling ``hash`` on an instance runs nothing but well-known builtins.

    A hash written in C is taken as harmless. One written in Python is, if every global that it names is a builtin of a
    short list, so that calling it once more than JAX did cannot print or compute.
    """
    code = getattr(kind.__hash__, "__code__", None)
    if code is None:
        return True
    allowed = {"hash", "tuple", "id", "frozenset", "sorted", "repr", "str", "type", "len", "items", "__name__"}
    used_globals = {n for n in code.co_names if n in __builtins_names() or n in kind.__hash__.__globals__}
    return used_globals <= allowed


@functools.cache
def __builtins_names() -> frozenset[str]:
    import builtins

    return frozenset(dir(builtins))


def attributes_of(value: Any, kind: type) -> list[tuple[str, Any]]:
    """Instance attributes by name, read without running a property or ``__getattr__``."""
    try:
        found = list(object.__getattribute__(value, "__dict__").items())
    except AttributeError:
        found = []
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            member = base.__dict__.get(name)
            if isinstance(member, types.MemberDescriptorType):
                try:
                    found.append((name, member.__get__(value)))
                except AttributeError:
                    continue
    return [(n, v) for n, v in found if isinstance(n, str) and not n.startswith("__")]


def shortened(text: str) -> str:
    """A text of at most 80 characters on one line."""
    line = " ".join(text.split()) if "\n" in text else text
    return line if len(line) <= LONGEST_TEXT else line[: LONGEST_TEXT - 1] + "…"


def short_repr(value: Any) -> str:
    """``repr`` of a plain value, the type's name of any other."""
    return shortened(repr(value)) if type(value) in PLAIN else f"<{type(value).__name__}>"


def digest(text: str) -> str:
    """16 hexadecimal digits that stand for a text."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()


def _sort_key(value: Any) -> tuple[str, str]:
    return type(value).__name__, repr(value) if type(value) in PLAIN else ""
