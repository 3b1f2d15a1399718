"""``stagelight learn portfolio``: one page of all receipts."""

from pathlib import Path

import click

from stagelight.errors import LabError
from stagelight.lab.course import course
from stagelight.lab.receipts import kept_receipts
from stagelight.lab.study import study_of, write_text
from stagelight.report.html import document_html
from stagelight.report.portfolio_document import portfolio_document


@click.command()
@click.option(
    "-o", "--output", default="portfolio.html", show_default=True, type=click.Path(path_type=Path, dir_okay=False)
)
def command(output: Path) -> None:
    """Write all receipts as one self-contained page: predictions, repairs, ledgers, versions and devices."""
    receipts = kept_receipts(study_of())
    if not receipts:
        message = "there is no receipt yet: finish a lesson with stagelight learn"
        raise LabError(message)
    titles = {lesson.name: lesson.title for lesson in course()}
    write_text(output, document_html(portfolio_document(receipts, titles)))
    click.echo(f"Wrote {output}.")
