"""``dims``: which axes of which arguments are ragged, and what their sizes are called."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import jax
import msgspec

from stagelight.errors import UsageError
from stagelight.sizes.expression import FUNCTION_NAMES, is_name, parse

type Path = tuple[Any, ...]


class RaggedAxis(msgspec.Struct, frozen=True, kw_only=True):
    """One ragged axis of an array: its place, its size as text, and the size's name where the text is one name."""

    axis: int
    text: str
    name: str | None


type RaggedAxes = tuple[RaggedAxis, ...]


class Declaration:
    """What ``dims`` says, for each parameter of a function.

    Attributes:
        names: The dimension names, in the order in which they were written.
    """

    def __init__(self, dims: Any, parameters: Sequence[str]) -> None:
        self._entries = {name: _entries(name, given) for name, given in _by_parameter(dims, parameters).items()}
        every = [axis for entries in self._entries.values() for _, axes in entries for axis in axes]
        self.names = tuple(dict.fromkeys(axis.name for axis in every if axis.name is not None))
        _check_names(every, self.names)

    def has(self, parameter: str) -> bool:
        """Whether anything in a parameter is ragged."""
        return bool(self._entries.get(parameter))

    def axes_of_leaves(self, parameter: str, prefix: Path, value: Any) -> list[RaggedAxes]:
        """For each leaf of an argument, in pytree order, its ragged axes.

        Args:
            parameter: The parameter's name.
            prefix: Where the argument stands inside ``*args`` or ``**kwargs``; empty elsewhere.
            value: The argument.

        Raises:
            UsageError: An entry of ``dims`` names a place that the argument does not have.
        """
        entries = self._entries.get(parameter, ())
        leaves = jax.tree_util.tree_flatten_with_path(value)[0]
        paths = [(*prefix, *map(_key, path)) for path, _ in leaves]
        found: list[RaggedAxes] = []
        used = set()
        for path in paths:
            entry = next((entry for entry in entries if path[: len(entry[0])] == entry[0]), None)
            used.add(entry[0] if entry else None)
            found.append(entry[1] if entry else ())
        for path, _ in entries:
            if path not in used and path[: len(prefix)] == prefix[: len(path)]:
                raise UsageError(_no_such_place(parameter, path, paths))
        return found


def text_of_path(parameter: str, path: Iterable[Any]) -> str:
    """A place in an argument as the user would write it."""
    return parameter + "".join(f"[{key!r}]" for key in path)


def _by_parameter(dims: Any, parameters: Sequence[str]) -> dict[str, Any]:
    if _is_axis_map(dims):
        return dict.fromkeys(parameters, dims)
    if isinstance(dims, Mapping):
        unknown = [name for name in dims if name not in parameters]
        if unknown:
            message = (
                f"dims names {', '.join(map(repr, unknown))}, and the function's parameters are "
                f"{', '.join(map(repr, parameters)) or 'none'}"
            )
            raise UsageError(message)
        return dict(dims)
    if isinstance(dims, (tuple, list)):
        if len(dims) > len(parameters):
            message = f"dims has {len(dims)} entries, and the function has {len(parameters)} parameters"
            raise UsageError(message)
        return dict(zip(parameters, dims, strict=False))
    message = (
        f"dims must say which axes are ragged, such as {{'batch': {{0: 'b'}}}} for axis 0 of every array in the "
        f"argument `batch`, and is {dims!r}"
    )
    raise UsageError(message)


def _is_axis_map(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value) and all(type(key) is int for key in value)


def _entries(parameter: str, given: Any) -> tuple[tuple[Path, RaggedAxes], ...]:
    """Each axis map in a prefix tree with its path; the longer paths first, for they say more."""
    leaves = jax.tree_util.tree_flatten_with_path(given, is_leaf=_is_axis_map)[0]
    entries = [(tuple(map(_key, path)), _ragged_axes(parameter, path, leaf)) for path, leaf in leaves]
    return tuple(sorted(entries, key=lambda entry: -len(entry[0])))


def _ragged_axes(parameter: str, path: Any, leaf: Any) -> RaggedAxes:
    where = text_of_path(parameter, map(_key, path))
    if not _is_axis_map(leaf):
        message = f"dims of {where} must be axes with the names of their sizes, such as {{0: 'b'}}, and is {leaf!r}"
        raise UsageError(message)
    axes = []
    for axis, text in leaf.items():
        if not isinstance(text, str):
            message = f"dims of {where} gives axis {axis} the size {text!r}; write the name of a size, such as 'b'"
            raise UsageError(message)
        parse(text)
        axes.append(RaggedAxis(axis=axis, text=text.strip(), name=text.strip() if is_name(text.strip()) else None))
    return tuple(axes)


def _check_names(axes: Iterable[RaggedAxis], names: tuple[str, ...]) -> None:
    for axis in axes:
        missing = [name for name in parse(axis.text).names if name not in names]
        if missing:
            message = (
                f"the size {axis.text!r} in dims uses {', '.join(map(repr, missing))}, which no axis has alone; "
                f"sizes are read from axes that have one name"
            )
            raise UsageError(message)
        if axis.text in FUNCTION_NAMES:
            message = f"{axis.text!r} is a function of sizes and cannot name one"
            raise UsageError(message)
    if not names:
        message = "dims names no size: give at least one axis a name, such as {'x': {0: 'b'}}"
        raise UsageError(message)


def _key(entry: Any) -> Any:
    """A key of a pytree path, however the node spells it."""
    for attribute in ("key", "name", "idx"):
        if hasattr(entry, attribute):
            return getattr(entry, attribute)
    return str(entry)


def _no_such_place(parameter: str, path: Path, paths: list[Path]) -> str:
    there = ", ".join(text_of_path(parameter, known) for known in paths[:8]) or "nothing"
    return f"dims names {text_of_path(parameter, path)}, which the argument does not have; it has {there}"
