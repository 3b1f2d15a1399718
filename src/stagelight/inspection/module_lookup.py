"""From dotted module names to files: beside the checked file, then below the current folder."""

from functools import cache
from pathlib import Path

from stagelight.inspection.source_file import module_name, read_source
from stagelight.lint.source_module import SourceModule


class ModuleLookup:
    """Finds the other modules of a program for files that are imported from one folder.

    Only the program's own source is found: installed packages are known to the analysis by name or not at all. Of a
    folder of installed packages, ``only`` names the one that is checked.
    """

    def __init__(self, root: Path, only: str = "") -> None:
        self.only = only
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
        is_own = not self.only or name.partition(".")[0] == self.only
        return _path_of(self.roots if is_own else self.roots[1:], name)


def root_of(path: Path) -> tuple[Path, str]:
    """Return the folder that a file is imported from, and its package where that folder is full of installed ones."""
    name, root = module_name(path)
    return root, name.partition(".")[0] if root.name in ("site-packages", "dist-packages") else ""


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
