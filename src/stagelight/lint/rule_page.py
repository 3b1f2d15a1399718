"""The page of a rule: the text that its own file begins with."""

import inspect
import sys

from stagelight.lint.rule import Rule
from stagelight.lint.rule_table import RULES

SECTIONS = ("What it does", "Why it costs", "Example", "Use instead", "When it is fine")
"""The sections of every page, in this order."""


def rule_page(slug: str) -> str | None:
    """Return the Markdown page of a rule, or None when there is no rule of that slug.

    >>> rule_page("traced-setitem").splitlines()[0]
    '# traced-setitem'
    """
    rule = next((rule for rule in RULES if rule.slug == slug), None)
    return None if rule is None else f"# {slug}\n\n{_text(rule)}\n"


def rule_title(slug: str) -> str:
    """Return the first line of a rule's page, without its full stop; empty for a slug that is no rule."""
    rule = next((rule for rule in RULES if rule.slug == slug), None)
    return "" if rule is None else _text(rule).partition("\n")[0].rstrip(".")


def _text(rule: Rule) -> str:
    module = sys.modules[rule.find.__module__]
    return inspect.cleandoc(module.__doc__ or "")
