"""The page of one cause, advisory or failure: its text for people, in a fixed order."""

from typing import Literal

import msgspec

from stagelight.model.attribution import LedgerName


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """What ``stagelight rule SLUG`` and the documentation say of one slug.

    Attributes:
        slug: The public name.
        group: Which list of the catalogue it is in.
        title: One line.
        meaning: When it holds, and why JAX works so.
        evidence: What stands as path, before and after.
        fix: How to stop it.
        example_before: Python that shows it.
        example_after: The same Python, mended.
        ledgers: The ledgers that it appears in; empty for advisories and failures.
    """

    slug: str
    group: Literal["cause", "advisory", "failure"]
    title: str
    meaning: str
    fix: str
    evidence: str = ""
    example_before: str = ""
    example_after: str = ""
    ledgers: tuple[LedgerName, ...] = ()
