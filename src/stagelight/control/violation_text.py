"""What a guard says of a miss: what happened, where, on what evidence, what to do, where to read more."""

import os

from stagelight.attribution.pages import page_of
from stagelight.model.attribution import EXPECTED_CAUSES, Cause, Miss
from stagelight.model.site import Site

_WORK = {
    "trace": "was about to be traced",
    "compile": "was about to be compiled",
    "dispatch": "left the fast path",
}
_MOST_CAUSES = 6


def violation_text(miss: Miss, reason: str) -> str:
    """The message of a forbidden miss.

    Args:
        miss: The miss.
        reason: What forbids it, as the end of the first sentence.
    """
    telling = telling_cause(miss)
    again = "" if telling.slug in EXPECTED_CAUSES else " again"
    lines = [f"{miss.function.name} {_WORK[miss.ledger]}{again if miss.ledger != 'dispatch' else ''}, {reason}."]
    lines.append(f"  called at   {place_text(miss.call)}")
    if miss.function.file:
        lines.append(f"  defined at  {place_text(Site(miss.function.file, miss.function.line))}")
    lines += [f"  cause       {cause_text(cause)}" for cause in miss.causes[:_MOST_CAUSES]]
    if len(miss.causes) > _MOST_CAUSES:
        lines.append(f"              and {len(miss.causes) - _MOST_CAUSES} more")
    page = page_of(telling.slug)
    if page is not None:
        lines.append(f"  what to do  {page.fix}")
    lines.append(f"  read more   stagelight rule {telling.slug}")
    return "\n".join(lines)


def telling_cause(miss: Miss) -> Cause:
    """The first cause that is not an expected one, or the first."""
    return next((c for c in miss.causes if c.slug not in EXPECTED_CAUSES), miss.causes[0])


def cause_text(cause: Cause) -> str:
    """One cause with its evidence on one line.

    >>> cause_text(Cause(slug="shape-changed", path="batch['x']", before="f32[32]", after="f32[17]"))
    "shape-changed: batch['x'] was f32[32], is f32[17]"
    """
    evidence = cause.path
    if cause.before and cause.after:
        evidence = f"{cause.path} was {cause.before}, is {cause.after}".strip()
    elif cause.before or cause.after:
        evidence = f"{cause.path} {'is ' + cause.after if cause.after else 'was ' + cause.before}".strip()
    detail = f" ({cause.detail})" if cause.detail and cause.detail not in evidence else ""
    return f"{cause.slug}: {evidence}{detail}" if evidence or detail else cause.slug


def place_text(site: Site) -> str:
    """File and line, relative to the working folder where it is below it."""
    if not site.file:
        return "an unknown place"
    try:
        relative = os.path.relpath(site.file)
    except ValueError:  # another drive
        relative = site.file
    file = relative if not relative.startswith("..") else site.file
    inside = f" in {site.function}" if site.function and site.function != "<module>" else ""
    return f"{file}:{site.line}{inside}"
