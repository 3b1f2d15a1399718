"""``check --fix``: every entry of the closed list keeps comments, and is proved by running both sides."""

import types

import pytest

from stagelight.inspection.configuration import CheckConfiguration
from stagelight.inspection.inspector import inspect_files
from stagelight.inspection.safe_fixes import edited, fix_file
from stagelight.model.finding import Edit, Span

HEAD = "import dataclasses\nfrom dataclasses import dataclass\nfrom functools import partial\n\nimport jax\n\n\n"

# (name, source, how its result is reached): both sides run under JAX and must give the same.
CORPUS = [
    (
        "a list by keyword",
        "@partial(jax.jit, static_argnames='n')\ndef f(x, n):\n    return x.reshape(n)\n\n\n"
        "def main(x):\n    return f(x, n=[2, 2])  # keep\n",
    ),
    (
        "a list of one",
        "@partial(jax.jit, static_argnums=1)\ndef f(x, n):\n    return x.reshape(n)\n\n\n"
        "def main(x):\n    return f(x, [ 4 ])\n",
    ),
    (
        "a list as default",
        "@partial(jax.jit, static_argnames='n')\ndef f(x, n=[4, 1]):\n    return x.reshape(n)\n\n\n"
        "def main(x):\n    return f(x)\n",
    ),
    (
        "a list of text over two lines",
        "@partial(jax.jit, static_argnames='names')\ndef f(x, names):\n    return x * len(names)\n\n\n"
        "def main(x):\n    return f(\n        x,\n        names=[\n            'é',  # first\n"
        "            'b',\n        ],\n    )\n",
    ),
    (
        "a bare dataclass",
        "@dataclass\nclass Cfg:\n    n: int = 2\n\n\n@partial(jax.jit, static_argnames='cfg')\n"
        "def f(x, cfg: Cfg):\n    return x * cfg.n\n\n\ndef main(x):\n    return f(x, cfg=Cfg())\n",
    ),
    (
        "a dataclass with arguments",
        "@dataclasses.dataclass(kw_only=True)\nclass Cfg:\n    n: int = 2\n\n\n"
        "@partial(jax.jit, static_argnums=1)\ndef f(x, cfg: Cfg):\n    return x * cfg.n\n\n\n"
        "def main(x):\n    return f(x, Cfg(n=3))\n",
    ),
    (
        "a jit of a vmapped function",
        "def double(x):\n    return 2 * x\n\n\ndef main(x):\n    out = x\n    for _ in range(3):\n"
        "        step = jax.jit(jax.vmap(double))\n        # one step\n        out = step(out)\n    return out\n",
    ),
    (
        "a jit of a lambda in a while loop",
        "def main(x):\n    n = 0\n    while n < 3:\n        step = jax.jit(lambda y: y + 1)\n        x = step(x)\n"
        "        n += 1\n    return x\n",
    ),
]

# What looks alike, but where the edit might change the program.
REFUSED = [
    (
        "a list that holds a name",
        "@partial(jax.jit, static_argnames='n')\ndef f(x, n):\n    return x.reshape(n)\n\n\n"
        "def main(x, k):\n    return f(x, n=[k, 2])\n",
    ),
    (
        "a dataclass that is changed",
        "@dataclass\nclass Cfg:\n    n: int = 2\n\n\n@partial(jax.jit, static_argnames='cfg')\n"
        "def f(x, cfg: Cfg):\n    return x * cfg.n\n\n\n"
        "def main(x):\n    c = Cfg()\n    c.n = 3\n    return f(x, cfg=c)\n",
    ),
    (
        "a lambda that reads the loop variable",
        "def main(x):\n    for k in range(3):\n"
        "        step = jax.jit(lambda y: y + k)\n        x = step(x)\n    return x\n",
    ),
    (
        "a lambda that reads an argument",
        "def main(x, scale):\n    for _ in range(3):\n"
        "        step = jax.jit(lambda y: y + scale)\n        x = step(x)\n    return x\n",
    ),
    (
        "a name that is read before",
        "def main(x, step):\n    for _ in range(3):\n        x = step(x)\n"
        "        step = jax.jit(lambda y: y + 1)\n        x = step(x)\n    return x\n",
    ),
    (
        "a comment on the line",
        "def main(x):\n    for _ in range(3):\n"
        "        step = jax.jit(lambda y: y + 1)  # why\n        x = step(x)\n    return x\n",
    ),
]


def _fix(folder, text):
    path = folder / "program.py"
    path.write_text(HEAD + text, encoding="utf-8")
    inspection = inspect_files(("program.py",), CheckConfiguration(), jobs=1, use_cache=False)
    findings = [item.finding for item in inspection.findings]
    assert findings
    count = fix_file(path, findings)
    return count, path.read_text(encoding="utf-8").removeprefix(HEAD)


def _comments(text):
    return [line.split("#", 1)[1] for line in text.splitlines() if "#" in line]


@pytest.mark.parametrize(("name", "text"), CORPUS, ids=[name for name, _ in CORPUS])
def test_a_mended_program_is_found_clean_and_keeps_its_comments(tmp_path, monkeypatch, name, text):
    monkeypatch.chdir(tmp_path)
    count, mended = _fix(tmp_path, text)
    assert count == 1
    assert mended != text
    assert _comments(mended) == _comments(text)
    assert not inspect_files(("program.py",), CheckConfiguration(), jobs=1, use_cache=False).findings


@pytest.mark.parametrize(("name", "text"), CORPUS, ids=[name for name, _ in CORPUS])
def test_both_sides_give_the_same_under_jax(tmp_path, monkeypatch, name, text):
    jax = pytest.importorskip("jax")
    monkeypatch.chdir(tmp_path)
    _, mended = _fix(tmp_path, text)
    x = jax.numpy.arange(4.0)
    # Without compiling, the original runs too: a static list needs no hash then.
    with jax.disable_jit():
        expected = _main(text)(x)
    result = _main(mended)(x)
    assert (result == expected).all()
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)


def _main(text):
    module = types.ModuleType("program")
    exec(compile(HEAD + text, "program", "exec"), vars(module))
    return module.main


@pytest.mark.parametrize(("name", "text"), REFUSED, ids=[name for name, _ in REFUSED])
def test_what_might_change_the_program_is_left_alone(tmp_path, monkeypatch, name, text):
    monkeypatch.chdir(tmp_path)
    assert _fix(tmp_path, text) == (0, text)


def test_edits_are_spliced_from_the_end_and_overlaps_are_left_out():
    def edit(line, start, end, text):
        return Edit(span=Span(line=line, column=start, end_line=line, end_column=end), text=text)

    edits = [edit(1, 1, 2, "A"), edit(1, 1, 3, "no"), edit(2, 2, 2, "-")]
    assert edited("abc\ndef", edits) == "Abc\nd-ef"


def test_encoding_mark_and_line_endings_stay(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (HEAD + CORPUS[0][1]).replace("\n", "\r\n")
    path = tmp_path / "program.py"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    findings = [i.finding for i in inspect_files(("program.py",), CheckConfiguration(), jobs=1).findings]
    assert fix_file(path, findings) == 1
    assert path.read_bytes() == b"\xef\xbb\xbf" + text.replace("[2, 2]", "(2, 2)").encode()
