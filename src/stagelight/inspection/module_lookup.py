"""From dotted module names to files: beside the checked file, then below the current folder."""

from functools import cache
from pathlib import Path

from stagelight.inspection.source_file import read_source
from stagelight.lint.source_module import SourceModule


class ModuleLookup:
    """Finds the other modules of a program for files that are imported from one folder.

    Only the program's own source is found: installed packages are known to the analysis by name or not at all.
    """

    def __init__(self, root: Path) -> None:
        self.roots = tuple(dict.fromkeys((root, Path.cwd(), Path.cwd() / "src")))

    def __call__(self, name: str) -> SourceModule | None:
        """Return the source of a module, or None when there is no such file, or it cannot be read."""
        path = self.path_of(name)
        if path is None:
            return None
        try:
            return read_source(path).module
        except (OSError, SyntaxError, ValueError):
            return None

    def path_of(self, name: str) -> Path | None:
        """Return the file of a module, or None."""
        return _path_of(self.roots, name)


@cache
def _path_of(roots: tuple[Path, ...], name: str) -> Path | None:
    relative = Path(*name.split("."))
    for root in roots:
        for candidate in (root / relative.with_suffix(".py"), root / relative / "__init__.py"):
            if candidate.is_file():
                return candidate
    return None


def forget_paths() -> None:
    """Forget where modules were found: files may have come and gone since."""
    _path_of.cache_clear()
