"""The analysis across modules, its paths and arguments, and what it does with text that is hard to read."""

import textwrap

import pytest

from stagelight.lint.mistakes import binding_times, find_mistakes
from stagelight.lint.program import Program
from stagelight.lint.source_module import SourceModule
from stagelight.model.binding_time import BindingTime

HEAD = "import jax\nimport jax.numpy as jnp\n"


def _check(text, others=None, **options):
    modules = {
        name: SourceModule(name=name, path=f"{name}.py", text=textwrap.dedent(source))
        for name, source in (others or {}).items()
    }
    module = SourceModule(name="main", path="main.py", text=HEAD + textwrap.dedent(text))
    return find_mistakes(module, Program(modules.get), **options)


def test_data_is_followed_into_other_modules():
    result = _check(
        "from helpers import pick\n@jax.jit\ndef f(params):\n    return pick(params['w'] * 2)\n",
        {"helpers": "def pick(v):\n    return v if v > 0 else -v\n"},
    )
    (finding,) = result.findings
    assert (finding.file, finding.span.line, finding.function) == ("helpers.py", 2, "pick")
    assert finding.arguments == ("params['w']",)
    assert [step.text for step in finding.path] == [
        "f is traced by jax.jit",
        "calls pick with data from params['w']",
    ]
    assert "helpers" in result.asked


def test_a_helper_is_judged_by_what_it_is_called_with():
    helper = {"helpers": "def pick(v, flag):\n    return v if flag else -v\n"}
    static = "from helpers import pick\n@jax.jit\ndef f(x):\n    return pick(x, x.ndim > 1)\n"
    data = "from helpers import pick\n@jax.jit\ndef f(x):\n    return pick(x, x.sum() > 1)\n"
    assert not _check(static, helper).findings
    assert [f.slug for f in _check(data, helper).findings] == ["traced-condition"]


def test_a_module_that_is_not_found_is_still_asked_for():
    assert "nowhere" in _check("import nowhere\n@jax.jit\ndef f(x):\n    return nowhere.g(x)\n").asked


def test_star_imports_and_cycles_of_imports_are_followed():
    others = {
        "a": "from b import *\ndef first(v):\n    return second(v)\n",
        "b": "from a import *\ndef second(v):\n    return v if v > 0 else -v\n",
    }
    result = _check("from a import *\n@jax.jit\ndef f(x):\n    return first(x * 2)\n", others)
    assert [(f.file, f.slug) for f in result.findings] == [("b.py", "traced-condition")]


def test_recursion_ends():
    assert not _check("@jax.jit\ndef f(x, n=3):\n    return f(x, n - 1) if n else x\n").findings


def test_entry_points_may_be_assumed():
    text = "class Layer:\n    def forward(self, x):\n        y = jnp.sum(x)\n        return y if y > 0 else -y\n"
    assert not _check(text).findings
    assert [f.slug for f in _check(text, assume_traced=("main.Layer.*",)).findings] == ["traced-condition"]


def test_columns_count_characters_from_one():
    (finding,) = _check("@jax.jit\ndef f(x):\n    é = 'ü'; y = float(x)\n    return y\n").findings
    line = "    é = 'ü'; y = float(x)"
    assert line[finding.span.column - 1 : finding.span.end_column - 1] == "float(x)" == finding.expression


def test_text_that_is_not_python_raises():
    for text in ("def f(:\n", "x = '\0'\n"):
        with pytest.raises(SyntaxError):
            find_mistakes(SourceModule(name="m", path="m.py", text="import jax\n" + text), Program(lambda name: None))


def test_a_module_of_the_program_that_is_not_python_is_passed_over():
    assert not _check("import broken\n@jax.jit\ndef f(x):\n    return broken.g(x)\n", {"broken": "def ("}).findings


def test_deep_nesting_is_an_error_or_silence_never_a_crash():
    deep = "x = " + "(" * 3000 + "1" + ")" * 3000 + "\n"
    chain = "y = " + " + ".join(["jnp.ones(3)"] * 5000) + "\n"
    for text in (deep, chain):
        try:
            find_mistakes(SourceModule(name="m", path="m.py", text=HEAD + text), Program(lambda name: None))
        except (SyntaxError, RecursionError):
            continue


def test_a_long_generated_file_is_read_to_its_end():
    rows = "".join(f"ROW_{n} = ({n}, 'text', {n}.5)\n" for n in range(100_000))
    (finding,) = _check(rows + "@jax.jit\ndef f(x):\n    return x if x > 0 else -x\n").findings
    assert finding.span.line == 100_000 + 5


def test_binding_times_of_expressions():
    text = "import jax\n@jax.jit\ndef f(x):\n    n = x.shape[0]\n    return x * n + 1\n"
    module = SourceModule(name="m", path="m.py", text=text)
    times = {(s.line, s.column, s.end_column): t for s, t in binding_times(module, Program(lambda name: None)).items()}
    assert times[(4, 9, 19)] is BindingTime.METADATA
    assert times[(5, 12, 17)] is BindingTime.DATA
    assert times[(5, 20, 21)] is BindingTime.CONSTANT


def test_modules_without_jax_are_not_interpreted():
    module = SourceModule(name="m", path="m.py", text="def f(x):\n    return x if x > 0 else -x\n")
    assert find_mistakes(module, Program(lambda name: None)).asked == frozenset()


def test_tests_are_spared_rules_about_cost_only():
    text = HEAD + "def test(xs):\n    for x in xs:\n        jax.jit(lambda y: y)(x)\n"
    for is_test, slugs in ((False, ["jit-in-loop"]), (True, [])):
        module = SourceModule(name="m", path="m.py", text=text, is_test=is_test)
        assert [f.slug for f in find_mistakes(module, Program(lambda name: None)).findings] == slugs
