"""``stagelight check``: find staging mistakes in source, without importing it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from stagelight import __version__
from stagelight.errors import UsageError
from stagelight.inspection.baseline import write_baseline
from stagelight.inspection.configuration import (
    CheckConfiguration,
    find_pyproject,
    read_configuration,
    with_checked_slugs,
)
from stagelight.inspection.inspector import inspect_files
from stagelight.inspection.safe_fixes import fix_file
from stagelight.inspection.slugs import ALL_SLUGS
from stagelight.inspection.source_lines import lines_of_file
from stagelight.lint.rule_page import rule_title
from stagelight.model.inspection import Inspection
from stagelight.report.findings_concise import concise_lines
from stagelight.report.findings_full import full_lines, summary
from stagelight.report.findings_github import github_annotations
from stagelight.report.findings_json import findings_json
from stagelight.report.findings_sarif import findings_sarif
from stagelight.report.findings_statistics import statistics_lines

FORMATS = ("full", "concise", "json", "github", "sarif")


@click.command(
    epilog="""\b
Examples:
  stagelight check src
  stagelight check src --select traced-condition,tracer-leak
  stagelight check src --assume-traced 'mypkg.layers.*'
  stagelight check src --format sarif > check.sarif
  stagelight check src --baseline known.json --update-baseline
  stagelight rule traced-condition
"""
)
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--select", metavar="SLUGS", help="Only these rules, with commas between.")
@click.option("--ignore", metavar="SLUGS", help="Not these rules.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Not these files and folders. Repeatable.")
@click.option(
    "--assume-traced", multiple=True, metavar="PATTERN", help="Functions of this dotted name are traced. Repeatable."
)
@click.option("--format", "format_name", type=click.Choice(FORMATS), default="full", show_default=True)
@click.option("--statistics", is_flag=True, help="Only how many findings each rule has.")
@click.option("--fix", "is_fixing", is_flag=True, help="Write the edits that need no execution to be safe.")
@click.option("--baseline", metavar="FILE", help="Findings in this file are known, and not shown.")
@click.option("--update-baseline", is_flag=True, help="Write the findings to the baseline, and exit with 0.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes; one per core by default.")
@click.option("--no-cache", is_flag=True, help="Neither use nor keep results of other runs.")
@click.option("--no-configuration", is_flag=True, help="Do not read pyproject.toml.")
def command(
    paths: tuple[str, ...],
    select: str | None,
    ignore: str | None,
    exclude: tuple[str, ...],
    assume_traced: tuple[str, ...],
    format_name: str,
    statistics: bool,
    is_fixing: bool,
    baseline: str | None,
    update_baseline: bool,
    jobs: int | None,
    no_cache: bool,
    no_configuration: bool,
) -> None:
    """Find staging mistakes in Python files and notebooks.

    Nothing of the checked code is imported or executed, and JAX need not be installed. Only what is proved is reported:
    a value that may or may not be traced is passed over. A finding shows the path by which data reached the expression.
    A comment `# stagelight: ignore[slug]` ignores the findings of its line.

    Exit codes: 0 nothing found, 1 findings, 2 wrong usage or an internal error.
    """
    configuration = _configuration(
        select=select,
        ignore=ignore,
        exclude=exclude,
        assume_traced=assume_traced,
        baseline=baseline,
        reads_file=not no_configuration,
    )
    if update_baseline:
        _update_baseline(paths, configuration, jobs, use_cache=not no_cache)
        return
    inspection = inspect_files(paths or (".",), configuration, jobs=jobs, use_cache=not no_cache)
    if is_fixing:
        _fix(inspection)
        inspection = inspect_files(paths or (".",), configuration, jobs=jobs, use_cache=not no_cache)
    _show(inspection, "statistics" if statistics else format_name)
    for problem in inspection.problems:
        click.echo(f"stagelight: {problem.file} {problem.message}", err=True)
    if any(problem.is_internal for problem in inspection.problems):
        sys.exit(2)
    sys.exit(1 if inspection.findings or inspection.problems else 0)


def _configuration(
    *,
    select: str | None,
    ignore: str | None,
    exclude: tuple[str, ...],
    assume_traced: tuple[str, ...],
    baseline: str | None,
    reads_file: bool,
) -> CheckConfiguration:
    configuration = read_configuration(find_pyproject(Path.cwd()) if reads_file else None)
    changes: dict[str, object] = {
        "exclude": (*configuration.exclude, *exclude),
        "assume_traced": (*configuration.assume_traced, *assume_traced),
    }
    if select is not None:
        changes["select"] = _listed(select)
    if ignore is not None:
        changes["ignore"] = (*configuration.ignore, *_listed(ignore))
    if baseline is not None:
        changes["baseline"] = baseline
    return with_checked_slugs(msgspec.structs.replace(configuration, **changes), where="the command line")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _update_baseline(
    paths: tuple[str, ...], configuration: CheckConfiguration, jobs: int | None, *, use_cache: bool
) -> None:
    if configuration.baseline is None:
        message = "--update-baseline needs --baseline FILE, or `baseline` in pyproject.toml"
        raise UsageError(message)
    everything = msgspec.structs.replace(configuration, baseline=None)
    inspection = inspect_files(paths or (".",), everything, jobs=jobs, use_cache=use_cache)
    count = write_baseline(Path(configuration.baseline), inspection.findings)
    click.echo(f"{configuration.baseline} holds {count} finding{'' if count == 1 else 's'}.")


def _fix(inspection: Inspection) -> None:
    files = dict.fromkeys(item.finding.file for item in inspection.findings if item.finding.edits)
    for file in files:
        findings = [item.finding for item in inspection.findings if item.finding.file == file]
        count = fix_file(Path(file), findings)
        click.echo(f"{file}: mended {count} finding{'' if count == 1 else 's'}", err=True)


def _show(inspection: Inspection, format_name: str) -> None:
    for line in _lines(inspection, format_name):
        click.echo(line)


def _lines(inspection: Inspection, format_name: str) -> Iterator[str]:
    match format_name:
        case "full":
            yield from full_lines(inspection, lines_of_file)
        case "concise":
            yield from concise_lines(inspection)
        case "json":
            yield findings_json(inspection)
        case "github":
            yield from github_annotations(inspection)
        case "sarif":
            titles = {slug: rule_title(slug) or "An ignore comment ignores nothing" for slug in ALL_SLUGS}
            yield findings_sarif(inspection, version=__version__, rule_titles=titles)
        case _:
            yield from statistics_lines(inspection)
            yield summary(inspection)
