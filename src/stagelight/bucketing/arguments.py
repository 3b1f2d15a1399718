"""Arguments of a call, put in one order however they were passed."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stagelight.bucketing.declaration import Declaration, Path, RaggedAxes
from stagelight.errors import UsageError

_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Slot:
    """One argument of a call: its parameter, and its place inside ``*args`` or ``**kwargs``."""

    __slots__ = ("axes_of_structure", "parameter", "prefix")

    def __init__(self, parameter: str, prefix: Path) -> None:
        self.parameter = parameter
        self.prefix = prefix
        self.axes_of_structure: dict[Any, tuple[RaggedAxes, ...]] = {}


class Layout:
    """The arguments of one style of call.

    Attributes:
        slots: All of them, positional ones first.
        ragged: Places of those that hold ragged arrays.
        static: Places of those whose values are part of the program.
        dynamic: Places of the others.
        donated: Places among the dynamic ones whose buffers may be reused.
    """

    __slots__ = ("declaration", "donated", "dynamic", "keywords", "positional", "ragged", "slots", "static")

    def __init__(self, slots: Sequence[Slot], keywords: tuple[str, ...], arguments: "Arguments") -> None:
        self.slots = tuple(slots)
        self.declaration = arguments.declaration
        self.keywords = keywords
        self.positional = len(slots) - len(keywords)
        places = range(len(slots))
        self.static = tuple(i for i in places if slots[i].parameter in arguments.static)
        self.dynamic = tuple(i for i in places if i not in self.static)
        self.ragged = tuple(i for i in self.dynamic if arguments.declaration.has(slots[i].parameter))
        self.donated = tuple(n for n, i in enumerate(self.dynamic) if slots[i].parameter in arguments.donated)

    def call(self, function: Callable[..., Any], dynamic: Sequence[Any], static: Sequence[Any]) -> Any:
        """Call a function with the arguments where they belong."""
        values: list[Any] = [None] * len(self.slots)
        for place, value in (*zip(self.dynamic, dynamic, strict=True), *zip(self.static, static, strict=True)):
            values[place] = value
        keywords = dict(zip(self.keywords, values[self.positional :], strict=True))
        return function(*values[: self.positional], **keywords)


class Arguments:
    """The parameters of a function, and which are ragged, static or donated."""

    def __init__(
        self, function: Callable[..., Any], dims: Any, static: tuple[str | int, ...], donated: tuple[str | int, ...]
    ) -> None:
        self.signature = _signature(function)
        self.parameters = tuple(self.signature.parameters)
        self.declaration = Declaration(dims, self.parameters)
        self.static = frozenset(self._name(item, "static") for item in static)
        self.donated = frozenset(self._name(item, "donated") for item in donated)
        both = [name for name in self.static if self.declaration.has(name) or name in self.donated]
        if both:
            message = f"{both[0]!r} cannot be static and also ragged or donated"
            raise UsageError(message)
        self._layouts: dict[Any, Layout] = {}
        self._by_style: dict[Any, tuple[Layout, tuple[Any, ...] | None]] = {}

    def arranged(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Layout, Sequence[Any]]:
        """The layout of a call, and its arguments in that order.

        Raises:
            TypeError: The arguments do not fit the function's signature, in Python's own words.
        """
        style = (len(args), *kwargs) if kwargs else len(args)
        known = self._by_style.get(style)
        if known is None:
            known = self._by_style[style] = self._new(args, kwargs)
        layout, order = known
        if order is None:
            return layout, args
        return layout, [args[key] if type(key) is int else kwargs[key] for key in order]

    def _new(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Layout, tuple[Any, ...] | None]:
        # Bound to their own places instead of their values, so that the order can be replayed.
        bound = self.signature.bind(*range(len(args)), **{name: name for name in kwargs})
        order = (*bound.args, *bound.kwargs.values())
        slots = [slot for name, value in bound.arguments.items() for slot in self._slots(name, value)]
        in_order = {key: slot for slot, key in slots}
        keywords = tuple(bound.kwargs)
        identity = (len(bound.args), keywords)
        if identity not in self._layouts:
            self._layouts[identity] = Layout([in_order[key] for key in order], keywords, self)
        return self._layouts[identity], None if order == tuple(range(len(args))) else order

    def _slots(self, name: str, value: Any) -> list[tuple[Slot, Any]]:
        kind = self.signature.parameters[name].kind
        if kind not in _VARIABLE:
            return [(Slot(name, ()), value)]
        items = value.items() if kind is inspect.Parameter.VAR_KEYWORD else enumerate(value)
        return [(Slot(name, (key,)), item) for key, item in items]

    def _name(self, item: str | int, role: str) -> str:
        if isinstance(item, int) and -len(self.parameters) <= item < len(self.parameters):
            return self.parameters[item]
        if item in self.parameters:
            return str(item)
        message = f"{item!r} is named as {role}, and the parameters are {', '.join(map(repr, self.parameters))}"
        raise UsageError(message)


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    if not callable(function):
        message = f"bucketed takes a function, and was given {function!r}"
        raise UsageError(message)
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        message = f"{function!r} has no signature to read parameter names from; wrap it in a def"
        raise UsageError(message) from None
