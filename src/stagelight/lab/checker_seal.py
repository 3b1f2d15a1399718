"""Whether the checker is what it was: its functions in memory, and its files on disk."""

import sys
from pathlib import Path
from types import FunctionType

import stagelight

PACKAGE = Path(stagelight.__file__).resolve().parent


class CheckerSeal:
    """Remembers every function and method of this package that is loaded."""

    def __init__(self) -> None:
        self._sealed = {name: _members(module) for name, module in _own_modules()}

    def broken(self) -> str:
        """Name of the first function that is another one now; empty where none is."""
        for name, before in self._sealed.items():
            module = sys.modules.get(name)
            now = _members(module) if module is not None else {}
            for member, code in before.items():
                if now.get(member) != code:
                    return f"{name}.{member}"
        return ""


def _own_modules() -> list[tuple[str, object]]:
    return [(name, module) for name, module in sys.modules.items() if name.split(".")[0] == "stagelight"]


def _members(module: object) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, value in vars(module).items():
        if isinstance(value, FunctionType):
            found[name] = id(value.__code__)
        elif isinstance(value, type) and value.__module__.split(".")[0] == "stagelight":
            methods = {key: one for key, one in vars(value).items() if isinstance(one, FunctionType)}
            found.update({f"{name}.{key}": id(one.__code__) for key, one in methods.items()})
    return found


def checker_files() -> dict[str, tuple[int, int]]:
    """Size and time of change of every file that judges a learner: the package's programs and its lessons."""
    paths = (path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".md", ".json", ".toml"))
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in paths}


def changed_file(before: dict[str, tuple[int, int]]) -> str:
    """The first file that changed since ``checker_files`` looked; empty where none did."""
    now = checker_files()
    return next((path for path in sorted({*before, *now}) if before.get(path) != now.get(path)), "")
