"""Files = slugs = registry = pages; every example of a page is Python."""

import ast
from pathlib import Path

import pytest

from stagelight.attribution import advisories, causes, failures
from stagelight.attribution.pages import PAGES, page_of
from stagelight.attribution.registry import ADVISORIES, CAUSES, FAILURES
from stagelight.model.attribution import EXPECTED_CAUSES

PAGES_OF_FOLDERS = {
    causes: [rule.page for rule in CAUSES],
    advisories: [rule.page for rule in ADVISORIES],
    failures: list(FAILURES),
}

CATALOGUE = {
    "trace": """first-trace shape-changed dtype-changed weak-type-changed sharding-type-changed tree-structure-changed
        tree-metadata-changed argument-count-changed call-convention-changed static-value-changed
        static-object-recreated static-hash-unstable function-recreated closure-value-changed method-owner-changed
        context-changed cache-cleared cache-evicted new-combination earlier-trace-failed under-transformation
        inspected unknown""",
    "compile": """first-compile committed-changed sharding-changed device-changed layout-changed jit-options-changed
        under-transformation cache-cleared unknown""",
    "dispatch": """host-array-argument jaxpr-reused effects-prevent-fast-path tracer-arguments fast-path-lost
        first-call-after-warm-up unknown""",
    "advisory": """stale-capture many-specializations single-use-specialization unrolled-loop large-constant
        growing-shapes trace-time-side-effect cond-became-select""",
    "failure": """traced-condition traced-bool-op traced-concretize traced-index-or-range traced-shape-argument
        numpy-on-traced data-dependent-shape traced-setitem unhashable-static-argument metadata-not-comparable
        tracer-leak shape-mismatch branch-types-differ carry-type-differs rejected-while-tracing other""",
}


@pytest.mark.parametrize("package", PAGES_OF_FOLDERS, ids=lambda package: package.__name__.rpartition(".")[2])
def test_each_file_is_one_slug_of_the_registry(package):
    files = {path.stem for path in Path(package.__file__).parent.glob("*.py")} - {"__init__"}
    slugs = [page.slug for page in PAGES_OF_FOLDERS[package]]
    assert sorted(slug.replace("-", "_") for slug in slugs) == sorted(files)


@pytest.mark.parametrize("group", ["advisory", "failure"])
def test_the_catalogue_of_pages(group):
    assert sorted(page.slug for page in PAGES if page.group == group) == sorted(CATALOGUE[group].split())


@pytest.mark.parametrize("ledger", ["trace", "compile", "dispatch"])
def test_the_catalogue_of_causes(ledger):
    assert sorted(p.slug for p in PAGES if ledger in p.ledgers) == sorted(CATALOGUE[ledger].split())


@pytest.mark.parametrize("rule", CAUSES, ids=lambda rule: rule.page.slug)
def test_a_cause_has_a_function_for_each_ledger_that_it_appears_in(rule):
    found = {"trace": rule.in_trace, "compile": rule.in_compile, "dispatch": rule.in_dispatch}
    ledgers = {ledger for ledger, find in found.items() if find is not None}
    # What nothing explains is the answer of last resort, asked for when every rule is silent.
    assert ledgers == set(rule.page.ledgers) or rule.page.slug == "unknown"


def test_expected_causes_have_pages():
    assert all(page_of(slug) is not None for slug in EXPECTED_CAUSES)


def test_slugs_are_unique_and_every_cause_has_a_test():
    slugs = [page.slug for page in PAGES]
    assert len(slugs) == len(set(slugs))
    tests = {path.stem for path in (Path(__file__).parent / "causes").glob("test_*.py")}
    assert tests == {f"test_{rule.page.slug.replace('-', '_')}" for rule in CAUSES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.slug)
def test_a_page_says_everything_and_its_examples_are_python(page):
    assert page.title
    assert page.meaning.endswith(".")
    assert page.fix.endswith(".")
    assert page.evidence.endswith(".")
    for example in (page.example_before, page.example_after):
        assert ast.parse(example).body


def test_there_is_no_page_of_an_unknown_slug():
    assert page_of("no-such-slug") is None
