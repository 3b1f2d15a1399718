"""Read the programs of ``programs/*.md``: a title, a source, the code with its marks, and a witness for JAX."""

import re
from pathlib import Path

import msgspec

PRELUDE = """\
import dataclasses, functools, logging, math, random, time
from functools import partial
import equinox as eqx
import flax
import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn, nnx
from jax import lax

"""
_MARK = re.compile(r"# error: \[([a-z-]+)\]")
_PROGRAM = re.compile(
    r"^## (?P<title>[^\n]+)\n(?:(?P<source>https://\S+)\n)?(?:[^`#]*)```python\n(?P<code>.*?)```\n"
    r"(?:```python witness\n(?P<witness>.*?)```)?",
    re.MULTILINE | re.DOTALL,
)


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """One program with its verdict: the (line, slug) pairs that must be found, and nothing else."""

    title: str
    source: str
    code: str
    witness: str
    marks: tuple[tuple[int, str], ...]

    @property
    def text(self):
        return PRELUDE + self.code


def read_programs(pattern):
    folder = Path(__file__).parent / "programs"
    programs = []
    for path in sorted(folder.glob(pattern)):
        for match in _PROGRAM.finditer(path.read_text()):
            code = match["code"]
            programs.append(
                Program(
                    title=f"{path.stem}: {match['title']}",
                    source=match["source"] or "",
                    code=code,
                    witness=match["witness"] or "",
                    marks=tuple(_marks(PRELUDE + code)),
                )
            )
    return programs


def _marks(text):
    for number, line in enumerate(text.splitlines(), 1):
        for slug in _MARK.findall(line):
            yield number, slug
