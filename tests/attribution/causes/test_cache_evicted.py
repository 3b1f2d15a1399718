import pytest
from attribution.programs import Program, f32, only, slugs

from stagelight.attribution import traces


def test_the_function_died():
    program = Program()
    program.trace(x=f32())
    cause = only(program.trace(x=f32(), earlier_object_alive=False))
    assert (cause.slug, cause.detail) == ("cache-evicted", "its function died")


@pytest.mark.parametrize(("between", "slug"), [(3, "unknown"), (4, "cache-evicted")])
def test_more_traces_in_between_than_the_cache_holds(monkeypatch, between, slug):
    monkeypatch.setattr(traces, "CACHE_SIZE", 4)
    program = Program()
    program.trace(x=f32(1))
    for n in range(between):
        program.trace(x=f32(n + 2))
    assert slugs(program.trace(x=f32(1))) == [slug]
