"""What a case's program is made of, without compiling it."""

import ast
import contextlib
import functools
import sys
from pathlib import Path

import jax
import numpy as np
from bucketing.cases import SIZES, bucketed

import stagelight.bucketing.families as families
from stagelight.bucketing.padding_context import PaddingContext

FOLDER = Path(families.__file__).parent
# What a rule may ask of its context to keep padding apart, and what it gives where it is left out.
LEFT_OUT = {
    "mask": lambda context, value, axes, neutral, why, **kind: value,
    "keep_outside": lambda context, new, old, shape, axes, why: new,
    "drop_padding": lambda context, columns, shape, axes, why: columns,
    "is_valid": lambda context, dimension: np.ones(context.capacity(dimension), bool),
}


def mask_sites():
    """Every place in a family's file that asks for a mask: its file, and the lines of the call."""
    for file in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LEFT_OUT:
                yield file.name, node.lineno, node.end_lineno


@contextlib.contextmanager
def watched_masks(found, left_out=None):
    """Note the place of every mask that rules ask for; leave one out."""
    originals = {name: getattr(PaddingContext, name) for name in LEFT_OUT}

    def watching(name, original):
        def asked(self, *args, **kwargs):
            frame = sys._getframe(1)
            place = (Path(frame.f_code.co_filename).name, frame.f_lineno)
            if Path(frame.f_code.co_filename).parent == FOLDER:
                found.add(place)
                if left_out is not None and place[0] == left_out[0] and left_out[1] <= place[1] <= left_out[2]:
                    return LEFT_OUT[name](self, *args, **kwargs)
            return original(self, *args, **kwargs)

        return asked

    for name, original in originals.items():
        setattr(PaddingContext, name, watching(name, original))
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(PaddingContext, name, original)


@functools.cache
def traced(case):
    """The primitives with a ragged dimension in a case's program, and the places of the masks it asks for."""
    function, places = bucketed(case), set()
    args = case.arguments(np.random.default_rng(0), *SIZES[0])
    with watched_masks(places):
        jax.eval_shape(function, *args)
    (programs,) = function._programs.by_bucket().values()
    return set().union(*(program.notes.primitives for program in programs)), places
