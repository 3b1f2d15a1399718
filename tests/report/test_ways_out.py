"""Every slug of the catalogue that asks for something to be done says what."""

from stagelight.attribution.pages import PAGES
from stagelight.model.attribution import EXPECTED_CAUSES
from stagelight.report.ways_out import WAYS_OUT, way_out

WITHOUT_ADVICE = EXPECTED_CAUSES | {"other"}


def test_every_slug_that_is_not_expected_has_a_way_out():
    slugs = {page.slug for page in PAGES}
    assert {slug for slug in slugs - WITHOUT_ADVICE if not way_out(slug)} == set()


def test_there_is_no_way_out_of_what_does_not_exist():
    assert set(WAYS_OUT) - {page.slug for page in PAGES} == set()


def test_the_path_of_the_evidence_is_named():
    assert "batch['x']" in way_out("weak-type-changed", "batch['x']")
    assert "the value" in way_out("weak-type-changed")


def test_a_function_object_that_varies_is_made_once():
    assert way_out("many-specializations", "function object") == way_out("function-recreated")
