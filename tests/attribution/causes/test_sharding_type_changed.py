from attribution.programs import Program, only, slugs

from stagelight.model.aval import Aval


def test_another_sharding_inside_the_aval():
    program = Program()
    program.trace(x=Aval((8,), "float32", sharding="P('d')"))
    cause = only(program.trace(x=Aval((8,), "float32")))
    assert (cause.slug, cause.path, cause.before, cause.after) == (
        "sharding-type-changed",
        "x",
        "P('d')",
        "no sharding",
    )


def test_another_rank_has_another_sharding_without_a_word():
    program = Program()
    program.trace(x=Aval((8,), "float32", sharding="P('d')"))
    assert slugs(program.trace(x=Aval((8, 2), "float32", sharding="P('d', None)"))) == ["shape-changed"]
