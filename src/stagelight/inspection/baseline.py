"""A baseline: findings that are known and not shown again, so that a check can start on old code."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from stagelight.errors import UsageError
from stagelight.model.inspection import Fingerprinted


class BaselineEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One known finding: the fingerprint decides, the rest is for people who read the file."""

    fingerprint: str
    slug: str
    file: str
    message: str


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a baseline file."""

    findings: tuple[BaselineEntry, ...]
    schema: int = 1


def read_baseline(path: Path) -> frozenset[str]:
    """Return the fingerprints of a baseline file.

    Raises:
        UsageError: the file does not exist or is not a baseline.
    """
    try:
        baseline = msgspec.json.decode(path.read_bytes(), type=Baseline)
    except FileNotFoundError as error:
        how = f"stagelight check --baseline {path} --update-baseline"
        message = f"the baseline {path} does not exist. Write it with: {how}"
        raise UsageError(message) from error
    except (OSError, msgspec.DecodeError) as error:
        message = f"{path} is not a baseline: {error}. Write it anew with --update-baseline."
        raise UsageError(message) from error
    return frozenset(entry.fingerprint for entry in baseline.findings)


def write_baseline(path: Path, findings: Iterable[Fingerprinted]) -> int:
    """Write the findings as the new baseline, and return how many there are."""
    entries = tuple(
        BaselineEntry(fingerprint=f.fingerprint, slug=f.finding.slug, file=f.finding.file, message=f.finding.message)
        for f in findings
    )
    text = msgspec.json.format(msgspec.json.encode(Baseline(findings=entries)), indent=1)
    path.write_bytes(text + b"\n")
    return len(entries)
