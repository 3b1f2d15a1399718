"""The rewritten module does what the module did, at the same positions."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stagelight.staging.expression_rewriting import ENTER, HOOK
from stagelight.staging.rewriting import Rewriter


def run(text, name="f", arguments=()):
    """Result of the rewritten function, and the text and value of each expression that reported itself."""
    rewriter = Rewriter(0)
    tree = rewriter.rewrite(ast.parse(text))
    seen = []

    def value(number, result):
        node = rewriter.expressions[number].node
        seen.append((ast.get_source_segment(text, node), result))
        return result

    namespace = {HOOK: value, ENTER: lambda: seen.append(("enter", None))}
    exec(compile(tree, "<rewritten>", "exec"), namespace)
    return namespace[name](*arguments), seen


def plain(text, name="f", arguments=()):
    namespace = {}
    exec(text, namespace)
    return namespace[name](*arguments)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    'doc'\n    return x + 1",
        "def f(x):\n    return [i * x for i in range(3) if i % 2]",
        "def f(x):\n    return sum(i for i in range(x))",
        "def f(x):\n    a, *b = range(x)\n    return a, b",
        "def f(x):\n    a = [1, 2, 3]\n    a[0], a[1:] = x, (x,)\n    return a",
        "def f(x):\n    return (lambda a, b=x: (a, b))(1)",
        "def f(x):\n    if (y := x) > 1 and not x == 2:\n        return y\n    return -y",
        "def f(x):\n    try:\n        return x / 0\n    except ZeroDivisionError as e:\n        return str(e)",
        "def f(x):\n    with open('/dev/null') as h:\n        return h.name",
        "def f(x):\n    def g():\n        nonlocal x\n        x += 1\n        yield x\n    return list(g()) + [x]",
        "class A:\n  def m(s): return 3\nclass B(A):\n  def m(s): return super().m() + 1\ndef f(x): return B().m()",
        "def f(x):\n    match {'k': x}:\n        case {'k': v} if v > 1:\n            return v",
        "def f(x):\n    return f'{x:>{x}}|{x!r}'",
        "def f(x):\n    return [*range(x), *(1,)], {**{'a': x}}, {1, x}",
        "def f(x):\n    global G\n    G = x\n    del x\n    return G",
        "def f(x):\n    import math as m\n    return m.sqrt(x) < 2 < 3 in {3}",
        "def f(x):\n    return sorted(locals())",
        "def f(x):\n    t = list(range(9))\n    return t[1:x], t[::2], t[:]",
        "h = lambda x: x + 1\ndef f(x):\n    return h(x)",
        "def f(x):\n    while x < 10:\n        x += 3\n    else:\n        x = -x\n    return x",
    ],
)
def test_results_are_the_same(text):
    result, seen = run(text, arguments=(2,))
    assert result == plain(text, arguments=(2,))
    assert seen[0] == ("enter", None)


def test_every_value_is_reported_in_order_of_evaluation():
    _, seen = run("def f(x):\n    y = x + 1\n    return y * g(y)\ndef g(v):\n    return -v", arguments=(2,))
    assert seen == [
        ("enter", None),
        ("x", 2),
        ("x + 1", 3),
        ("y", 3),
        ("y", 3),
        ("enter", None),
        ("v", 3),
        ("-v", -3),
        ("g(y)", -3),
        ("y * g(y)", -9),
    ]


def test_a_traceback_points_where_it_pointed():
    text = "def f(x):\n    return (x +\n            1) / (x - x)"

    def place(code):
        namespace = {HOOK: lambda number, value: value, ENTER: lambda: None}
        exec(code, namespace)
        with pytest.raises(ZeroDivisionError) as raised:
            namespace["f"](1)
        traceback = raised.value.__traceback__.tb_next
        return list(traceback.tb_frame.f_code.co_positions())[traceback.tb_lasti // 2]

    rewritten = compile(Rewriter(0).rewrite(ast.parse(text)), "m.py", "exec")
    assert place(rewritten) == place(compile(text, "m.py", "exec"))


NAMES = st.sampled_from("ab")
ATOMS = st.one_of(NAMES, st.integers(0, 3).map(str), st.just("[a, b]"), st.just("(a, 1)"))
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda e: st.one_of(
        st.tuples(e, st.sampled_from(["+", "*", "and", "or", "==", "<"]), e).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(e, e, e).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
        e.map(lambda x: f"(not {x})"),
        e.map(lambda x: f"[v for v in [{x}, 1] if v]"),
        e.map(lambda x: f"(lambda a: {x})(b)"),
        st.tuples(e, e).map(lambda t: f"{{'k': {t[0]}, **{{'m': {t[1]}}}}}"),
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(EXPRESSIONS)
def test_any_expression_keeps_its_value_or_its_error(expression):
    text = f"def f(a, b):\n    return {expression}"

    def outcome(function):
        try:
            return function(text, arguments=(1, 2))
        except TypeError as error:
            return str(error)

    rewritten = outcome(lambda *a, **k: run(*a, **k)[0])
    assert rewritten == outcome(plain)
