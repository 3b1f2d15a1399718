"""``FILE:FUNCTION``: the module is imported once, the function is found in it."""

import importlib
import importlib.util
import sys
import traceback
import types
from pathlib import Path

from stagelight.errors import UsageError


def split_target(target: str) -> tuple[str, str]:
    """File or module, and function.

    Raises:
        UsageError: The text has not this form.
    """
    place, separator, function = target.rpartition(":")
    if not separator or not place or not function.replace(".", "").isidentifier():
        message = f"{target!r} names no function: write FILE:FUNCTION, such as train.py:train_step"
        raise UsageError(message)
    if place.endswith(".ipynb"):
        message = f"{place} is a notebook: call stagelight.explain in it; only Python files are imported from here"
        raise UsageError(message)
    if place.endswith(".py") and not Path(place).is_file():
        message = f"there is no file {place}"
        raise UsageError(message)
    return place, function


def imported_function(target: str) -> tuple[object, types.ModuleType]:
    """Import the module and find the function; ``if __name__ == "__main__"`` does not run.

    Raises:
        UsageError: The module cannot be imported, or has no such function.
    """
    place, function = split_target(target)
    try:
        module = _module_of_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except SyntaxError as error:
        message = f"{place} is no Python of this version: line {error.lineno}: {error.msg}"
        raise UsageError(message) from error
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        frames = [f for f in traceback.extract_tb(error.__traceback__) if "importlib" not in f.filename]
        where = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
        message = f"importing {place} raised {type(error).__name__}{where}: {error}"
        raise UsageError(message) from error
    return _attribute(module, function, place), module


def _module_of_file(file: Path) -> types.ModuleType:
    """Import a file under the name that its package gives it, or under its own."""
    folder, name = file.resolve().parent, file.stem
    while (folder / "__init__.py").exists():
        name, folder = f"{folder.name}.{name}", folder.parent
    sys.path.insert(0, str(folder))
    if "." in name:
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, file.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _attribute(module: types.ModuleType, path: str, place: str) -> object:
    found: object = module
    for name in path.split("."):
        if not hasattr(found, name):
            known = sorted(n for n, v in vars(module).items() if callable(v) and not n.startswith("_"))
            message = f"{place} has no {path}; it has {', '.join(known[:12]) or 'no functions'}"
            raise UsageError(message)
        found = getattr(found, name)
    return found
