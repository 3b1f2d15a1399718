"""The limits of advisories that a project sets for itself, in ``[tool.stagelight]`` of its ``pyproject.toml``."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from stagelight.attribution.limits import Limits
from stagelight.errors import UsageError

NAMES = ("many", "unrolled", "constant_bytes", "growing")


@cache
def configured_limits(folder: Path | None = None) -> Limits:
    """Limits for ledgers that are read here.

    Args:
        folder: Where to look first, then in each folder above it; the working directory if absent.

    Returns:
        The table's ``many``, ``unrolled``, ``constant-bytes`` and ``growing``, the default for each that is not set.

    Raises:
        UsageError: A limit is no positive whole number.
    """
    start = (folder or Path.cwd()).resolve()
    for place in (start, *start.parents):
        file = place / "pyproject.toml"
        if file.is_file():
            return _limits_from(file)
    return Limits()


def _limits_from(file: Path) -> Limits:
    try:
        table: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("stagelight", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return Limits()  # a broken project file is no reason not to read a ledger
    given = {name: table[key] for name in NAMES for key in (name, name.replace("_", "-")) if key in table}
    for name, value in given.items():
        if type(value) is not int or value < 1:
            message = (
                f"[tool.stagelight] in {file}: {name.replace('_', '-')} is {value!r}; it takes a whole number from 1"
            )
            raise UsageError(message)
    return Limits(**given)
