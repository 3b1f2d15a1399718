"""The pages of every cause, advisory and failure, by slug."""

from stagelight.attribution.page import Page
from stagelight.attribution.registry import ADVISORIES, CAUSES, FAILURES

PAGES: tuple[Page, ...] = (
    *(rule.page for rule in CAUSES),
    *(rule.page for rule in ADVISORIES),
    *FAILURES,
)

_BY_SLUG = {page.slug: page for page in PAGES}


def page_of(slug: str) -> Page | None:
    """The page of a cause, an advisory or a failure; None where there is no such slug.

    >>> page_of("shape-changed").title
    'An argument has another shape'
    """
    return _BY_SLUG.get(slug)
