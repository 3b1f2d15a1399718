"""The slugs that ``check`` can report: those of the rules, and those about the check itself."""

import difflib
from collections.abc import Iterable

from stagelight.errors import UsageError
from stagelight.lint.rule_table import RULES

UNUSED_IGNORE = "unused-ignore"
"""An ignore comment that ignores nothing."""

RULE_SLUGS = tuple(rule.slug for rule in RULES)
ALL_SLUGS = (*RULE_SLUGS, UNUSED_IGNORE)


def checked_slugs(slugs: Iterable[str], *, where: str) -> tuple[str, ...]:
    """Return slugs as given, ``all`` spelled out.

    Raises:
        UsageError: one of them is not a slug; the message names the nearest.
    """
    found: list[str] = []
    for slug in slugs:
        if slug == "all":
            found.extend(ALL_SLUGS)
        elif slug in ALL_SLUGS:
            found.append(slug)
        else:
            near = difflib.get_close_matches(slug, ALL_SLUGS, 1)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            message = f"{where} names the rule {slug!r}, which does not exist.{meant} List them with: stagelight rule"
            raise UsageError(message)
    return tuple(dict.fromkeys(found))
