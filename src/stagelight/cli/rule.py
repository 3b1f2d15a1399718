"""``stagelight rule``: the page of a rule or cause, or the list of them."""

import click

from stagelight.attribution.page import Page
from stagelight.attribution.pages import PAGES, page_of
from stagelight.errors import UsageError
from stagelight.inspection.slugs import RULE_SLUGS, UNUSED_IGNORE
from stagelight.lint.rule_page import rule_page, rule_title


@click.command(
    epilog="""\b
Examples:
  stagelight rule
  stagelight rule traced-condition
  stagelight rule weak-type-changed
"""
)
@click.argument("slug", required=False)
def command(slug: str | None) -> None:
    """Show the page of a rule of `check`, or of a cause of `why`.

    Without SLUG, list them all. The same pages are in the documentation.
    """
    if slug is None:
        _list()
        return
    page = rule_page(slug)
    cause = page_of(slug)
    if slug == UNUSED_IGNORE:
        page = f"# {UNUSED_IGNORE}\n\nA comment `# stagelight: ignore` ignores nothing. Remove it.\n"
    if page is None and cause is None:
        message = f"there is no rule or cause {slug!r}. List them with: stagelight rule"
        raise UsageError(message)
    if page is not None:
        click.echo(page.rstrip())
    if cause is not None:
        click.echo(_cause_text(cause, is_second=page is not None))


def _list() -> None:
    click.echo("Rules of `check`:")
    for slug in RULE_SLUGS:
        click.echo(f"  {slug:<28} {rule_title(slug)}")
    click.echo(f"  {UNUSED_IGNORE:<28} An ignore comment ignores nothing")
    click.echo("\nCauses of `why`:")
    for page in PAGES:
        click.echo(f"  {page.slug:<28} {page.title}")


def _cause_text(page: Page, *, is_second: bool) -> str:
    heading = f"\n## As a {page.group} of a watched program" if is_second else f"# {page.slug}\n\n{page.title}."
    parts = [heading, page.meaning]
    if page.evidence:
        parts.append(f"Evidence: {page.evidence}")
    parts.append(f"What to do: {page.fix}")
    return "\n\n".join(parts)
