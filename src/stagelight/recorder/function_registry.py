"""Who a traced function is: code, object, what it carries, and the wrapper it was reached through."""

import functools
import inspect
import os
import types
import weakref
from typing import Any

import msgspec

from stagelight.model.function import Function, FunctionKind
from stagelight.model.site import Site
from stagelight.model.value import Captured
from stagelight.recorder.equinox_call import wrapped_by_equinox
from stagelight.recorder.object_numbers import ObjectNumbers
from stagelight.recorder.ownership import Ownership
from stagelight.recorder.value_description import PLAIN, ValueDescriber

_DEEPEST_WRAPPING = 16
_MOST_GLOBALS = 32
_MOST_MADE = 4096
_MOST_PLAIN = 1024


class Identity(msgspec.Struct, frozen=True, gc=False):
    """One function object at one trace.

    Attributes:
        function: The record, with its number.
        is_new: Whether the record was made just now and has to be written.
        object: Number of the function object.
        inner: The innermost Python function; never keep it.
    """

    function: Function
    is_new: bool
    object: int
    inner: Any


class FunctionRegistry:
    """Functions seen so far, by where their code stands."""

    def __init__(self, ownership: Ownership, numbers: ObjectNumbers, describer: ValueDescriber):
        self._ownership = ownership
        self._numbers = numbers
        self._describer = describer
        self._functions: dict[tuple[Any, ...], Function] = {}
        self._plain: dict[int, tuple[types.CodeType, Function]] = {}
        self._latest: dict[int, int] = {}
        self._made_at: dict[int, tuple[int, Site]] = {}
        self._made_times: dict[Site, int] = {}
        self._number_of_fun: dict[int, tuple[Any, int]] = {}

    def identify(self, fun: Any, static: dict[str, Any] | None = None) -> Identity:
        """Find or make the record of a callable that JAX was given.

        Args:
            fun: The callable.
            static: Its static arguments, in which Equinox keeps the user's function.
        """
        if type(fun) is types.FunctionType and not static and not fun.__dict__:
            known = self._plain.get(id(fun.__code__))
            if known is not None:
                return Identity(known[1], False, self._numbers.number(fun), fun)
        if getattr(fun, "_apply_primitive", False):
            return self._eager(fun)
        bucketed, bucket = _bucketed(fun)
        user = wrapped_by_equinox(fun, static)
        inner, kind = innermost(bucketed or (user if user is not None else fun))
        wrapper = "bucketed" if bucketed else "eqx.filter_jit" if user is not None else _flax_wrapper(fun)
        code = getattr(inner, "__code__", None)
        name = _name_of(inner, fun)
        place = (code.co_filename, code.co_firstlineno, code.co_qualname) if code else (id(type(inner)), name)
        key = (*place, wrapper, bucket)
        known = self._functions.get(key)
        is_new = known is None
        if known is None:
            file = _absolute(code.co_filename) if code else ""
            known = self._functions[key] = Function(
                number=len(self._functions) + 1,
                name=name,
                qualname=getattr(inner, "__qualname__", name) + (f" [{bucket}]" if bucket else ""),
                module=str(getattr(inner, "__module__", "") or ""),
                file=file,
                line=definition_line(code) if code else 0,
                kind=kind,
                own=bool(code) and self._ownership.is_own(code.co_filename),
                parameters=_parameters(inner),
                wrapper=wrapper,
            )
        if user is not None:
            self._remember_wrapped(fun, known.number)
        elif inner is fun and not static and not fun.__dict__:
            self._remember_plain(fun.__code__, known)
        return Identity(known, is_new, self._numbers.number(user if user is not None else fun), inner)

    def _remember_plain(self, code: types.CodeType, known: Function) -> None:
        """The next plain function of the same code is the same one. By address: code objects hash by content."""
        if len(self._plain) >= _MOST_PLAIN:
            self._plain.clear()
        self._plain[id(code)] = (code, known)

    def _remember_wrapped(self, fun: Any, number: int) -> None:
        if id(fun) not in self._number_of_fun:
            table, address = self._number_of_fun, id(fun)
            table[address] = (weakref.ref(fun, lambda _, a=address, t=table: t.pop(a, None)), number)

    def known_number(self, fun: Any) -> int:
        """Number of the user's function inside a wrapper that shows it only when called (Equinox), or 0."""
        known = self._number_of_fun.get(id(fun))
        return known[1] if known is not None and known[0]() is fun else 0

    def _eager(self, fun: Any) -> Identity:
        name = str(getattr(fun, "__name__", "primitive"))
        known = self._functions.get(("eager", name))
        is_new = known is None
        if known is None:
            known = self._functions[("eager", name)] = Function(
                number=len(self._functions) + 1, name=name, qualname=name, kind="eager"
            )
        return Identity(known, is_new, 0, None)

    def earlier_object_alive(self, identity: Identity) -> bool | None:
        """Whether the function object of this function's previous trace still lives; then remember this one."""
        before = self._latest.get(identity.function.number)
        self._latest[identity.function.number] = identity.object
        return None if before is None else self._numbers.reference(before) is not None

    def number_at(self, name: str, file: str, line: int) -> int:
        """Number of the function of a name whose code begins at a line, or 0."""
        return next((f.number for k, f in self._functions.items() if k[:2] == (file, line) and f.name == name), 0)

    def jit_made(self, fun: Any, site: Site) -> None:
        """``jax.jit(fun)`` ran at a place of the program."""
        self._made_times[site] = self._made_times.get(site, 0) + 1
        if len(self._made_at) >= _MOST_MADE:
            self._forget_dead()
        self._made_at[id(fun)] = (self._numbers.number(fun), site)

    def _forget_dead(self) -> None:
        """Addresses of functions that died, so that the table does not grow with a loop that makes new ones."""
        living = {a: made for a, made in self._made_at.items() if self._numbers.reference(made[0]) is not None}
        self._made_at.clear()
        self._made_at.update(living)

    def where_made(self, fun: Any, identity: Identity) -> tuple[Site | None, int]:
        """Where ``jax.jit`` was called on this object, and how often it ran there."""
        number, site = self._made_at.get(id(fun), (0, None))
        if site is None or not (number == identity.object or self._numbers.has(fun, number)):
            return None, 0
        return site, self._made_times.get(site, 0)

    def captured(self, fun: Any, identity: Identity) -> tuple[Captured, ...]:
        """What a function object carries: free variables, partial arguments, defaults, owner, plain globals."""
        function, inner = identity.function, identity.inner
        if function.kind == "eager" or self._ownership.of(function.file) == "jax":
            return ()
        found: list[Captured] = []
        describe = self._describer.describe
        if fun is not inner:
            found += self._partial_arguments(fun, function.parameters)
            owner = _owner(fun)
            if owner is not None:
                found.append(Captured(name="self", kind="owner", value=describe(owner)))
        for name, value in closure_of(inner):
            found.append(Captured(name=name, kind="closure", value=describe(value)))
        for name, value in defaults_of(inner):
            found.append(Captured(name=name, kind="default", value=describe(value)))
        if function.own:
            for name, value in plain_globals_of(inner):
                found.append(Captured(name=name, kind="global", value=describe(value)))
        return tuple(found)

    def _partial_arguments(self, fun: Any, parameters: tuple[str, ...]) -> list[Captured]:
        found: list[Captured] = []
        for _ in range(_DEEPEST_WRAPPING):
            if type(fun) is not functools.partial:
                break
            names = [parameters[i] if i < len(parameters) else f"[{i}]" for i in range(len(fun.args))]
            for name, value in (*zip(names, fun.args, strict=True), *fun.keywords.items()):
                found.append(Captured(name=name, kind="partial", value=self._describer.describe(value)))
            fun = fun.func
        return found


def innermost(fun: Any) -> tuple[Any, FunctionKind]:
    """The innermost Python function of a callable, through wrappers, partials, methods and callable objects."""
    kind: FunctionKind = "function"
    for _ in range(_DEEPEST_WRAPPING):
        if type(fun) is functools.partial or isinstance(fun, functools.partial):
            kind, fun = "partial", fun.func
        elif isinstance(fun, types.MethodType):
            kind, fun = "method", fun.__func__
        elif isinstance(fun, types.FunctionType):
            wrapped = fun.__dict__.get("__wrapped__")
            if wrapped is None:
                break
            fun = wrapped
        elif _wrapped_attribute(fun) is not None:
            fun = _wrapped_attribute(fun)
        elif isinstance(type(fun).__call__, types.FunctionType):
            return type(fun).__call__, "callable"
        else:
            break
    if kind == "function" and getattr(fun, "__name__", "") == "<lambda>":
        kind = "lambda"
    return fun, kind


def _wrapped_attribute(fun: Any) -> Any:
    return inspect.getattr_static(fun, "__dict__", {}) and getattr(fun, "__dict__", {}).get("__wrapped__")


def closure_of(inner: Any) -> list[tuple[str, Any]]:
    """Free variables that are bound, by name."""
    code, cells = getattr(inner, "__code__", None), getattr(inner, "__closure__", None) or ()
    found = []
    for name, cell in zip(code.co_freevars if code else (), cells, strict=False):
        try:
            found.append((name, cell.cell_contents))
        except ValueError:  # bound later
            continue
    return found


def defaults_of(inner: Any) -> list[tuple[str, Any]]:
    """Parameters with a default, by name."""
    code = getattr(inner, "__code__", None)
    if code is None or not (inner.__defaults__ or inner.__kwdefaults__):
        return []
    defaults = inner.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    named = list(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
    return named + list((getattr(inner, "__kwdefaults__", None) or {}).items())


def plain_globals_of(inner: Any) -> list[tuple[str, Any]]:
    """Globals that the function names and that hold plain values: those that go stale without a word."""
    code, known = getattr(inner, "__code__", None), getattr(inner, "__globals__", None)
    if code is None or known is None:
        return []
    return [(n, known[n]) for n in code.co_names if n in known and type(known[n]) in PLAIN][:_MOST_GLOBALS]


def definition_line(code: types.CodeType) -> int:
    """Line of the ``def`` itself: ``co_firstlineno`` is that of the first decorator."""
    first = code.co_firstlineno
    if code.co_name == "<lambda>":
        return first
    lines = [line for _, _, line in code.co_lines() if line]
    return _def_line(code.co_filename, first, min((n for n in lines if n > first), default=first), code.co_name)


@functools.lru_cache(maxsize=1024)
def _def_line(file: str, first: int, last: int, name: str) -> int:
    import linecache

    for line in range(first, max(first, last) + 1):
        text = linecache.getline(file, line).lstrip()
        if text.startswith((f"def {name}", f"async def {name}")):
            return line
    return first


def _name_of(inner: Any, fun: Any) -> str:
    name = getattr(inner, "__name__", None) or getattr(fun, "__name__", None)
    if name == "__call__":
        return str(getattr(inner, "__qualname__", name)).rpartition(".")[0].rpartition(".")[2] or name
    return str(name or type(fun).__name__)


def _bucketed(fun: Any) -> tuple[Any, str]:
    """The user's function and the bucket inside a program of ``bucketed``: each bucket is a function of its own."""
    if type(fun).__name__ != "custom_vjp":
        return None, ""
    return getattr(fun, "__dict__", {}).get("stagelight_bucketed", (None, ""))


def _owner(fun: Any) -> Any:
    for _ in range(_DEEPEST_WRAPPING):
        if isinstance(fun, types.MethodType):
            return fun.__self__
        if not isinstance(fun, functools.partial):
            return None
        fun = fun.func
    return None


def _parameters(inner: Any) -> tuple[str, ...]:
    code = getattr(inner, "__code__", None)
    if code is None:
        return ()
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _flax_wrapper(fun: Any) -> str:
    module = type(fun).__module__
    return "nnx.jit" if module.startswith("flax.nnx") else ""


def _absolute(file: str) -> str:
    return file if file.startswith("<") else os.path.abspath(file)
