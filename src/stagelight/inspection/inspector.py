"""Inspect files: from paths and a configuration to an ``Inspection``."""

from collections.abc import Iterable
from pathlib import Path

from stagelight.inspection.baseline import read_baseline
from stagelight.inspection.configuration import CheckConfiguration
from stagelight.inspection.discovery import discover_files, is_matched, shown_path
from stagelight.inspection.file_results import FileChecker, FileResult
from stagelight.inspection.fingerprints import fingerprinted
from stagelight.inspection.ignore_comments import ignore_comments, split_ignored, unused_ignore
from stagelight.inspection.module_lookup import ModuleLookup, forget_paths, root_of
from stagelight.inspection.notebook_places import placed_in_cell
from stagelight.inspection.processes import check_in_processes
from stagelight.inspection.result_cache import FOLDER, CachedResult, ResultCache
from stagelight.inspection.slugs import UNUSED_IGNORE
from stagelight.inspection.source_file import digest_of, read_source
from stagelight.model.finding import Finding
from stagelight.model.inspection import Inspection


def inspect_files(
    paths: Iterable[str],
    configuration: CheckConfiguration,
    *,
    jobs: int | None = None,
    use_cache: bool = True,
) -> Inspection:
    """Check files and folders.

    Args:
        paths: files and folders, as given on the command line.
        configuration: what to check and what to leave out.
        jobs: worker processes; None for one per core.
        use_cache: whether results of earlier runs are used and kept, in ``.stagelight_cache``.

    Raises:
        UsageError: a path or the baseline does not exist.
    """
    known = read_baseline(Path(configuration.baseline)) if configuration.baseline else frozenset[str]()
    files = discover_files(paths, exclude=configuration.exclude)
    forget_paths()
    cache = ResultCache(Path(FOLDER), " ".join(configuration.assume_traced)) if use_cache else None
    results, cached_count = _results(files, configuration.assume_traced, cache, jobs)
    problems = tuple(result.problem for result in results if result.problem is not None)
    findings, ignored_count = _selected(files, results, configuration)
    shown = fingerprinted(findings)
    fresh = tuple(f for f in shown if f.fingerprint not in known)
    return Inspection(
        findings=fresh,
        problems=problems,
        file_count=len(files),
        ignored_count=ignored_count,
        baseline_count=len(shown) - len(fresh),
        cached_count=cached_count,
    )


def _results(
    files: tuple[Path, ...], assume_traced: tuple[str, ...], cache: ResultCache | None, jobs: int | None
) -> tuple[list[FileResult], int]:
    if cache is None:
        return check_in_processes(list(files), assume_traced, jobs), 0
    held = _cached(files, cache)
    missing = [path for path in files if path not in held]
    for path, result in zip(missing, check_in_processes(missing, assume_traced, jobs), strict=True):
        held[path] = result
        if result.digest:
            cache.put(result.file, CachedResult(result.digest, result.asked, result.findings, result.problem))
    if missing:
        cache.write()
    return [held[path] for path in files], len(files) - len(missing)


def _cached(files: tuple[Path, ...], cache: ResultCache) -> dict[Path, FileResult]:
    checker = FileChecker(())
    lookups: dict[tuple[Path, str], ModuleLookup] = {}
    held: dict[Path, FileResult] = {}
    for path in files:
        try:
            digest = digest_of(path.read_bytes())
        except OSError:
            continue
        root = root_of(path)
        lookup = lookups.setdefault(root, ModuleLookup(*root))
        file = shown_path(path)
        found = cache.get(file, digest, lambda name, lookup=lookup: checker.digest_of_module(lookup, name))
        if found is not None:
            held[path] = FileResult(
                file=file, digest=digest, asked=found.asked, findings=found.findings, problem=found.problem
            )
    return held


def _selected(
    files: tuple[Path, ...], results: list[FileResult], configuration: CheckConfiguration
) -> tuple[list[Finding], int]:
    """Return the findings that are to be shown, and how many are ignored by comments and configuration."""
    by_file = _by_file(results)
    slugs = set(configuration.slugs())
    kept: list[Finding] = []
    ignored_count = 0
    for path, result in zip(files, results, strict=True):
        found = by_file.get(result.file, ())
        chosen = tuple(f for f in found if f.slug in slugs and not _is_off(path, f.slug, configuration))
        ignored_count += sum(f.slug in slugs for f in found) - len(chosen)
        here, count = _after_comments(path, result, chosen, slugs)
        kept.extend(f for f in here if not _is_off(path, f.slug, configuration))
        ignored_count += count
    return kept, ignored_count


def _by_file(results: list[FileResult]) -> dict[str, tuple[Finding, ...]]:
    """Return findings by the file they are in, told once; a module's own view of itself comes first."""
    checked = {result.file for result in results}
    merged: dict[tuple[object, ...], Finding] = {}
    for is_own in (True, False):
        for result in results:
            for finding in result.findings:
                if finding.file in checked and (finding.file == result.file) is is_own:
                    merged.setdefault((finding.file, finding.slug, finding.span), finding)
    grouped: dict[str, list[Finding]] = {}
    for finding in merged.values():
        grouped.setdefault(finding.file, []).append(finding)
    return {file: tuple(sorted(found, key=lambda f: (f.span, f.slug))) for file, found in grouped.items()}


def _is_off(path: Path, slug: str, configuration: CheckConfiguration) -> bool:
    ignores = configuration.per_file_ignores
    return any(slug in slugs and is_matched(path, (pattern,)) for pattern, slugs in ignores.items())


def _after_comments(
    path: Path, result: FileResult, findings: tuple[Finding, ...], slugs: set[str]
) -> tuple[list[Finding], int]:
    is_notebook = path.suffix == ".ipynb"
    if result.problem is not None or (not findings and not is_notebook and not _mentions_ignore(path)):
        return list(findings), 0
    try:
        source = read_source(path)
    except (OSError, SyntaxError, ValueError):
        return list(findings), 0
    kept, ignored, unused = split_ignored(findings, ignore_comments(source.module.text))
    if UNUSED_IGNORE in slugs:
        # A comment for a rule that is switched off may well be needed when it is on.
        kept.extend(unused_ignore(c, result.file) for c in unused if set(c.slugs) <= slugs)
    if source.notebook is not None:
        kept = [placed_in_cell(finding, source.notebook) for finding in kept]
    return kept, len(ignored)


def _mentions_ignore(path: Path) -> bool:
    try:
        return b"stagelight: ignore" in path.read_bytes()
    except OSError:
        return False
