from attribution.programs import Program, f32, only, slugs

from stagelight.model.aval import Aval


def test_a_setting_differs():
    program = Program()
    program.trace(x=f32(), settings={"jax_enable_x64": "False", "mesh": "Mesh()"})
    cause = only(program.trace(x=f32(), settings={"jax_enable_x64": "True", "mesh": "Mesh()"}))
    assert (cause.slug, cause.path, cause.before, cause.after) == (
        "context-changed",
        "jax_enable_x64",
        "False",
        "True",
    )


def test_what_follows_from_the_setting_is_named_after_it():
    program = Program()
    program.trace(x=f32(), settings={"jax_enable_x64": "False"})
    causes = program.trace(x=Aval((), "float64"), settings={"jax_enable_x64": "True"})
    assert slugs(causes) == ["context-changed", "dtype-changed"]
