"""The configuration of ``check``: the table ``[tool.stagelight.check]`` of ``pyproject.toml``."""

import tomllib
from pathlib import Path

import msgspec

from stagelight.errors import UsageError
from stagelight.inspection.slugs import ALL_SLUGS, checked_slugs


class CheckConfiguration(msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """What to check and what to leave out.

    Attributes:
        select: the rules that speak; all by default.
        ignore: rules that do not.
        per_file_ignores: glob pattern → rules that do not speak in files it matches.
        exclude: glob patterns of files and folders that are not read.
        assume_traced: patterns of dotted names of functions that are traced from outside the checked files.
        baseline: a file of findings that are known already.
    """

    select: tuple[str, ...] = ALL_SLUGS
    ignore: tuple[str, ...] = ()
    per_file_ignores: dict[str, tuple[str, ...]] = {}
    exclude: tuple[str, ...] = ()
    assume_traced: tuple[str, ...] = ()
    baseline: str | None = None

    def slugs(self) -> tuple[str, ...]:
        """Return the rules that speak at all."""
        return tuple(slug for slug in self.select if slug not in self.ignore)


def find_pyproject(start: Path) -> Path | None:
    """Return the nearest ``pyproject.toml`` in a folder or above it."""
    for folder in (start, *start.parents):
        candidate = folder / "pyproject.toml"
        if candidate.is_file():
            return candidate
    return None


def read_configuration(pyproject: Path | None) -> CheckConfiguration:
    """Read the configuration; without a file or table, the defaults.

    Raises:
        UsageError: the file is not TOML, or the table holds a key, a type or a rule that is not known.
    """
    if pyproject is None:
        return CheckConfiguration()
    try:
        table = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        message = f"{pyproject} cannot be read: {error}. Mend it, or pass --no-configuration."
        raise UsageError(message) from error
    section = table.get("tool", {}).get("stagelight", {}).get("check", {})
    try:
        configuration = msgspec.convert(section, CheckConfiguration)
    except msgspec.ValidationError as error:
        message = f"[tool.stagelight.check] in {pyproject} is wrong: {error}. See the guide to check."
        raise UsageError(message) from error
    return with_checked_slugs(configuration, where=f"[tool.stagelight.check] in {pyproject}")


def with_checked_slugs(configuration: CheckConfiguration, *, where: str) -> CheckConfiguration:
    """Return the configuration with every rule that it names known to exist.

    Raises:
        UsageError: one does not exist.
    """
    return msgspec.structs.replace(
        configuration,
        select=checked_slugs(configuration.select, where=where),
        ignore=checked_slugs(configuration.ignore, where=where),
        per_file_ignores={
            pattern: checked_slugs(slugs, where=where) for pattern, slugs in configuration.per_file_ignores.items()
        },
    )
