"""How far values are followed: the last expression of each function is proved to be data, or is left in doubt."""

import ast

import pytest
from staging_programs import PRELUDE

from stagelight.lint.mistakes import binding_times
from stagelight.lint.program import Program
from stagelight.lint.source_module import SourceModule

FOLLOWED = {
    "a field of an object": """
class Layer:
    def __init__(self, w):
        self.w = w

@jax.jit
def f(x):
    return Layer(x * 2).w
""",
    "a field set by the base class": """
class Base:
    def __init__(self, w):
        self.w = jnp.tanh(w)

class Layer(Base):
    def __init__(self, w):
        super().__init__(w)

@jax.jit
def f(x):
    return Layer(x).w
""",
    "a function that a named tuple holds": """
from typing import NamedTuple

class Pair(NamedTuple):
    init: object
    update: object

def scale(rate):
    def update(g):
        return g * rate
    return Pair(lambda g: g, update)

@jax.jit
def f(x):
    init, update = scale(0.1)
    return update(init(x))
""",
    "functions taken one by one": """
def chain(*functions):
    def run(x):
        for function, _ in zip(functions, range(2)):
            x = function(x)
        return x
    return run

@jax.jit
def f(x):
    return chain(jnp.sin, lambda y: y + 1)(x)
""",
    "a decorator of the program": """
def checked(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner

@checked
def double(x):
    return x * 2

@jax.jit
def f(x):
    return double(x)
""",
    "leaves of a tree": """
@jax.jit
def f(x):
    return jax.tree.map(lambda a, b: a + b, {"w": x * 1}, {"w": x * 2})["w"]
""",
    "leaf by leaf": """
from equinox.internal import ω

@jax.jit
def f(x):
    return (0.5 * (x * 1) ** ω).ω
""",
    "what the host passes": """
@jax.jit
def f(x=None):
    return x

f(jnp.ones(3))
""",
    "a reduction": """
@jax.jit
def f(x):
    return functools.reduce(lambda a, b: a * b, [x * 1, x * 2])
""",
}
LEFT_IN_DOUBT = {
    "an attribute of an enumeration": """
import enum

class Kind(enum.Enum):
    FIRST = 1

@jax.jit
def f(x):
    return Kind.FIRST
""",
    "a method that a subclass may define": """
class Base(eqx.Module):
    def value(self):
        raise NotImplementedError

@jax.jit
def f(model: Base):
    return model.value()
""",
    "a tree whose leaves the caller names": """
@jax.jit
def f(x, y=None):
    return jax.tree.map(lambda a: a, y, is_leaf=lambda a: isinstance(a, dict))
""",
    "what a solver of JAX is given": """
@jax.jit
def f(x):
    return lax.custom_root(lambda a: a, x, lambda g, a: a, lambda g, a: a)
""",
}


def time_of_result(source):
    text = PRELUDE + source
    module = SourceModule(name="m", path="m.py", text=text)
    times = binding_times(module, Program(lambda name: None))
    tree = ast.parse(text)
    function = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "f"][-1]
    result = function.body[-1].value
    spans = [s for s in times if (s.line, s.column) == (result.lineno, result.col_offset + 1)]
    whole = max(spans, key=lambda s: (s.end_line, s.end_column))
    return times[whole]


@pytest.mark.parametrize("title", FOLLOWED)
def test_data_is_followed_through(title):
    assert time_of_result(FOLLOWED[title]) == "data"


@pytest.mark.parametrize("title", LEFT_IN_DOUBT)
def test_no_data_is_claimed_of(title):
    assert time_of_result(LEFT_IN_DOUBT[title]) != "data"
