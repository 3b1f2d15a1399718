"""What ``check`` found in a set of files."""

import msgspec

from stagelight.model.finding import Finding


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """A file that could not be checked, and why; the rest was.

    ``is_internal``: the fault is Stagelight's, not the file's.
    """

    file: str
    message: str
    is_internal: bool = False


class Fingerprinted(msgspec.Struct, frozen=True, kw_only=True):
    """A finding with the name by which it is known again when lines move."""

    finding: Finding
    fingerprint: str


class Inspection(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one run over files.

    Attributes:
        findings: what is to be shown, in the order of files and lines.
        problems: files that could not be checked.
        file_count: how many files were checked.
        ignored_count: findings that comments and configuration ignore.
        baseline_count: findings that the baseline holds already.
        cached_count: files whose results came from the cache.
    """

    findings: tuple[Fingerprinted, ...]
    problems: tuple[Problem, ...] = ()
    file_count: int = 0
    ignored_count: int = 0
    baseline_count: int = 0
    cached_count: int = 0
