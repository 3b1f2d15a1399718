"""An account as annotations of a GitHub Actions job: one at each line that made an avoidable miss."""

from collections.abc import Iterable

from stagelight.model.site import Site
from stagelight.report.account import Account, CauseGroup, FunctionAccount
from stagelight.report.cause_section import VALUE_LENGTH
from stagelight.report.file_names import relative_name
from stagelight.report.function_table import display_name
from stagelight.report.quantities import counted, seconds_text
from stagelight.report.selection import Selection
from stagelight.report.visible import shortened, visible
from stagelight.report.ways_out import way_out
from stagelight.report.why_document import chosen_functions


def github_lines(account: Account, selection: Selection, *, root: str = "") -> Iterable[str]:
    """Workflow commands, as the GitHub Actions documentation describes them ("Workflow commands").

    Args:
        account: What was read.
        selection: What was asked for.
        root: The checkout, which file names must be relative to; where the program ran if absent.
    """
    folders = (root,) if root else tuple(ledger.header.folder for ledger in account.ledgers)
    for group in account.failures:
        failure = group.failure
        if group.handled < group.times and selection.takes_note(failure.function, failure.slug):
            text = f"{failure.error} at {failure.expression or 'this line'}. {way_out(failure.slug)}"
            yield _annotation("error", failure.site, failure.slug, text, folders, failure.column)
    for function, groups in chosen_functions(account, selection):
        for group in groups:
            yield _miss_annotation(function, group, folders)
    for group in account.advisories:
        advisory = group.advisory
        if advisory.function.own and selection.takes_note(advisory.function, advisory.slug):
            site = advisory.site if advisory.site.file else Site(advisory.function.file, advisory.function.line)
            change = _change(advisory.path, advisory.before, advisory.after)
            text = f"{display_name(advisory.function)}: {change}. {way_out(advisory.slug, advisory.path)}"
            yield _annotation("notice", site, advisory.slug, text, folders)


def _miss_annotation(function: FunctionAccount, group: CauseGroup, folders: tuple[str, ...]) -> str:
    causes = group.causes
    changes = "; ".join(_change(cause.path, cause.before, cause.after) for cause in causes[:4])
    noun = {"trace": "trace", "compile": "compile", "dispatch": "slow call"}[group.ledger]
    text = (
        f"{display_name(function.function)}: {counted(group.misses, noun)}, {seconds_text(group.seconds)}. "
        f"{changes}. {way_out(causes[0].slug, causes[0].path)}"
    )
    site = group.sites[0][0] if group.sites and group.sites[0][0].file else None
    title = ", ".join(dict.fromkeys(cause.slug for cause in causes))
    level = "warning" if group.avoidable else "notice"
    return _annotation(level, site or Site(function.function.file, function.function.line), title, text, folders)


def _change(path: str, before: str, after: str) -> str:
    values = " → ".join(shortened(value, VALUE_LENGTH) for value in (before, after) if value)
    return f"{path} {values}".strip()


def _annotation(level: str, site: Site, title: str, text: str, folders: tuple[str, ...], column: int = 0) -> str:
    where = [f"file={_property(relative_name(site.file, folders))}", f"line={site.line}"] if site.file else []
    if column:
        where.append(f"col={column}")
    return f"::{level} {','.join([*where, f'title={_property(title)}'])}::{_message(text)}"


def _message(text: str) -> str:
    return visible(text).replace("%", "%25")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
