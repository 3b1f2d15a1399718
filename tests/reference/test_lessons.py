"""Whole lesson programs print the same on the machine as on JAX: traces, results and errors."""

import builtins
import contextlib
import io
import pathlib
import re

import jax
import pytest

from stagelight.reference import Machine

LESSONS = sorted((pathlib.Path(__file__).parent / "lessons").glob("*.py"))


def printed(lesson, import_=builtins.__import__):
    out = io.StringIO()
    names = {"__name__": "lesson", "__builtins__": {**vars(builtins), "__import__": import_}}
    with contextlib.redirect_stdout(out):
        exec(compile(lesson.read_text(), lesson.name, "exec"), names)
    return out.getvalue()


def importing_from(machine):
    known = {"jax": machine.jax, "jax.numpy": machine.numpy, "jax.lax": machine.lax}

    def import_(name, globals=None, locals=None, fromlist=(), level=0):
        if name.split(".")[0] != "jax":
            return builtins.__import__(name, globals, locals, fromlist, level)
        return known[name] if fromlist else machine.jax

    return import_


def rounded(text):
    """XLA may multiply by a reciprocal where NumPy divides, so the last bit of a number is not compared."""
    return re.sub(r"-?\d+\.\d{6,}", lambda number: f"{float(number[0]):.5f}", text)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_prints_the_same_on_the_machine_as_on_jax(lesson):
    jax.clear_caches()
    theirs = printed(lesson)
    ours = printed(lesson, importing_from(Machine(jax.__version__)))
    assert rounded(ours) == rounded(theirs)
    assert "tracing" in theirs
