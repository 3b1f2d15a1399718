"""One file, read once: its bytes, its text, and the module that it is."""

import hashlib
import io
import os
import tokenize
from pathlib import Path

import msgspec

from stagelight.inspection.discovery import shown_path
from stagelight.inspection.notebook_cells import NotebookText, read_notebook
from stagelight.lint.source_module import SourceModule

_DIGEST_BYTES = 16


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it was at the moment it was read; changes while the check runs are not seen."""

    module: SourceModule
    digest: str
    notebook: NotebookText | None = None


def digest_of(content: bytes) -> str:
    """Return the name of a file's content in the cache."""
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


def read_source(path: Path, content: bytes | None = None) -> SourceFile:
    """Read a file as Python source, by its own declared encoding, or as a notebook.

    Raises:
        OSError: it cannot be read.
        SyntaxError: the encoding is unknown or contradictory.
        UnicodeDecodeError: the bytes are not in that encoding.
        ValueError: a notebook is not one.
    """
    content = path.read_bytes() if content is None else content
    notebook = None
    if path.suffix == ".ipynb":
        notebook = read_notebook(content.decode("utf-8"))
        text = notebook.text
    else:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    name, _ = module_name(path)
    module = SourceModule(
        name=name,
        path=shown_path(path),
        text=text.removeprefix("\ufeff"),
        is_package=path.name == "__init__.py",
        is_test=is_test(path),
    )
    return SourceFile(module=module, digest=digest_of(content), notebook=notebook)


def module_name(path: Path) -> tuple[str, Path]:
    """Return the dotted name of a file, and the folder from which it is imported under that name."""
    absolute = Path(os.path.abspath(path))
    parts = [] if absolute.name == "__init__.py" else [absolute.stem]
    folder = absolute.parent
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts), folder


def is_test(path: Path) -> bool:
    """Whether a file is a test by its name or folder."""
    name = path.stem
    return name.startswith("test_") or name.endswith("_test") or name == "conftest" or "tests" in path.parts
