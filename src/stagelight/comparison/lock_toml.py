"""The lock as text, one part of a key a line, so that a change reads well in review; and back."""

import json
import tomllib
from collections.abc import Iterator
from typing import Any

import msgspec

from stagelight.errors import LockError
from stagelight.model.lock import LOCK_SCHEMA, KeyPart, Lock, LockedFunction, LockedSpecialization, PlacedLeaf

HEADING = "# Which specializations this program has. Written by `stagelight lock`, checked by `stagelight verify`.\n"
_MARKERS = ("<<<<<<< ", "=======", ">>>>>>> ")


def toml_from_lock(lock: Lock) -> str:
    """The whole file."""
    return HEADING + "".join(f"{line}\n" for line in _lines(lock))


def _lines(lock: Lock) -> Iterator[str]:
    yield f"schema = {lock.schema}"
    yield f"jax = {_text(lock.jax)}"
    yield f"programs = [{', '.join(_text(program) for program in lock.programs)}]"
    if lock.imports:
        yield ""
        yield "[imports]"
        yield from (f"{_text(name)} = {_text(path)}" for name, path in lock.imports)
    for function in lock.functions:
        yield ""
        yield f"[function.{_text(function.name)}]"
        yield f"traces = {function.traces}"
        yield f"compiles = {function.compiles}"
        if function.causes:
            yield f"causes = {{ {', '.join(f'{slug} = {count}' for slug, count in function.causes)} }}"
        for specialization in function.specializations:
            yield ""
            yield f"[[function.{_text(function.name)}.specialization]]"
            yield from _specialization_lines(specialization)


def _specialization_lines(specialization: LockedSpecialization) -> Iterator[str]:
    yield "key = ["
    yield from (f"  [{_text(part.name)}, {_text(part.text)}]," for part in specialization.key)
    yield "]"
    if specialization.placed:
        yield "placed = ["
        for leaves in specialization.placed:
            rows = ", ".join(f"[{', '.join(_text(text) for text in msgspec.structs.astuple(leaf))}]" for leaf in leaves)
            yield f"  [{rows}],"
        yield "]"
    yield f"equations = {specialization.equations}"
    for name, texts in (("unrolled", specialization.unrolled), ("constants", specialization.constants)):
        if texts:
            yield f"{name} = ["
            yield from (f"  {_text(text)}," for text in texts)
            yield "]"


def _text(text: str) -> str:
    """A basic TOML string: JSON's escapes are a subset of TOML's, but for the delete character and lone surrogates."""
    encoded = json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
    return encoded.replace("\x7f", "\\u007f")


def lock_from_toml(text: str, origin: str) -> Lock:
    """Read a lock.

    Args:
        text: The file's text.
        origin: Its path, for messages.

    Raises:
        LockError: It holds merge markers, is broken, or was written by a newer Stagelight.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(_MARKERS) or line == "=======":
            message = (
                f"{origin} holds merge markers (line {number}): take either side, then run `stagelight lock` again"
            )
            raise LockError(message)
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = f"{origin} is broken: {error}. Take it from version control, or write it anew with `stagelight lock`"
        raise LockError(message) from None
    schema = found.get("schema")
    if type(schema) is int and schema > LOCK_SCHEMA:
        message = f"{origin} has schema {schema}, this Stagelight reads up to {LOCK_SCHEMA}: read it with a newer one"
        raise LockError(message)
    try:
        return _lock(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        message = f"{origin} is no lock file: {type(error).__name__} at {error}. Write it anew with `stagelight lock`"
        raise LockError(message) from None


def _lock(found: dict[str, Any]) -> Lock:
    functions = [_function(str(name), entry) for name, entry in sorted(found.get("function", {}).items())]
    programs = tuple(_checked_text(program) for program in found["programs"])
    imports = sorted((_checked_text(name), _checked_text(path)) for name, path in found.get("imports", {}).items())
    return Lock(
        schema=int(found["schema"]),
        jax=_checked_text(found["jax"]),
        programs=programs,
        functions=tuple(functions),
        imports=tuple(imports),
    )


def _function(name: str, entry: dict[str, Any]) -> LockedFunction:
    rows = sorted([_specialization(row) for row in entry.get("specialization", [])], key=lambda row: row.key)
    causes = sorted((str(slug), int(count)) for slug, count in entry.get("causes", {}).items())
    return LockedFunction(
        name=name,
        traces=int(entry["traces"]),
        compiles=int(entry["compiles"]),
        causes=tuple(causes),
        specializations=tuple(rows),
    )


def _specialization(row: dict[str, Any]) -> LockedSpecialization:
    key = tuple([KeyPart(_checked_text(name), _checked_text(text)) for name, text in row["key"]])
    return LockedSpecialization(
        key=key,
        equations=int(row["equations"]),
        unrolled=tuple(_checked_text(text) for text in row.get("unrolled", [])),
        constants=tuple(_checked_text(text) for text in row.get("constants", [])),
        placed=tuple(tuple(_placed(leaf) for leaf in leaves) for leaves in row.get("placed", [])),
    )


def _placed(leaf: list[Any]) -> PlacedLeaf:
    path, sharding, devices, layout = leaf
    return PlacedLeaf(_checked_text(path), _checked_text(sharding), _checked_text(devices), _checked_text(layout))


def _checked_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(repr(value))
    return value
