"""Which files hold the function and the helpers it may call."""

import sys
import sysconfig
import types

from stagelight.staging.instrumented_source import InstrumentedSource, SourceNotFoundError

LIMIT = 64
"""At most this many files are rewritten: those reached first from the function's own module."""

_LIBRARY = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))


def own_sources(function: types.FunctionType, own: tuple[str, ...] = ()) -> dict[str, InstrumentedSource]:
    """The function's file, and the files of the modules that it can reach and that belong to the same people.

    Args:
        function: The function to explain; its own file must have a source.
        own: Further packages that count as the user's own.

    Raises:
        SourceNotFoundError: The function's own source cannot be read or parsed. Other files are left out then.
    """
    files = _files(function, own)
    entry = InstrumentedSource(function.__code__.co_filename, 0)
    found, number = {entry.file: entry}, len(entry.expressions)
    for file in files:
        if file in found:
            continue
        try:
            source = InstrumentedSource(file, number)
        except SourceNotFoundError:
            continue
        found[file] = source
        number += len(source.expressions)
    return found


def _files(function: types.FunctionType, own: tuple[str, ...]) -> list[str]:
    start = function.__module__ or ""
    packages = {start.partition(".")[0], *own}
    modules, todo = dict.fromkeys([start]), [start]
    while todo and len(modules) < LIMIT:
        namespace = getattr(sys.modules.get(todo.pop(0)), "__dict__", {})
        for name in _modules_named(namespace):
            if name not in modules and _is_own(name, packages, own) and len(modules) < LIMIT:
                modules[name] = None
                todo.append(name)
    return [f for m in modules if (f := getattr(sys.modules.get(m), "__file__", None)) and f.endswith(".py")]


def _modules_named(namespace: dict[str, object]) -> dict[str, None]:
    """Modules that a namespace refers to, directly or by a function or class of theirs."""
    found: dict[str, None] = {}
    for value in list(namespace.values()):
        if isinstance(value, types.ModuleType):
            found[value.__name__] = None
        elif callable(value):
            module = getattr(value, "__module__", None)
            if isinstance(module, str):
                found[module] = None
    return found


def _is_own(module: str, packages: set[str], own: tuple[str, ...]) -> bool:
    package = module.partition(".")[0]
    if package == __name__.partition(".")[0]:
        return False  # an observer that watches itself never ends
    if package in packages or any(module == o or module.startswith(o + ".") for o in own):
        return True
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return bool(file) and not file.startswith(_LIBRARY)
