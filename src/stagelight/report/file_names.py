"""File names as a reader would write them: relative to where the program ran, or to the package they belong to."""

import os.path
import posixpath
from collections.abc import Sequence

import msgspec

_PACKAGES = ("/site-packages/", "/dist-packages/")


def relative_name(file: str, folders: Sequence[str]) -> str:
    """The file, relative to the folder that holds it, else as it is.

    >>> relative_name("/home/me/run/train.py", ["/home/me/run"]), relative_name("/opt/lib.py", ["/home/me/run"])
    ('train.py', '/opt/lib.py')
    """
    for folder in folders:
        if folder and file.startswith(folder) and file[len(folder) : len(folder) + 1] in ("/", "\\"):
            return file[len(folder) + 1 :]
    return file


class FileNames(msgspec.Struct, frozen=True):
    """What the files of a ledger are called where people read.

    Attributes:
        folders: Folders that names are shown relative to.
        cells: Files of notebook cells, each with what it is called.

    Example:
        >>> FileNames().short("/usr/lib/python3/site-packages/flax/nnx/transforms.py")
        'flax/nnx/transforms.py'
    """

    folders: tuple[str, ...] = ()
    cells: tuple[tuple[str, str], ...] = ()

    def short(self, file: str) -> str:
        """The file, relative to where the program ran; a library's inside its package; a cell by its number."""
        for cell, name in self.cells:
            if cell == file:
                return name
        name = relative_name(file, self.folders)
        for packages in _PACKAGES:
            _, found, inside = name.rpartition(packages)
            if found:
                return inside
        home = os.path.expanduser("~")
        return posixpath.join("~", name[len(home) + 1 :]) if name.startswith(f"{home}/") and home != "/" else name
