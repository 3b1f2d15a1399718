"""The calls that a lock file stands for, to warm them up."""

import re
from collections.abc import Mapping
from pathlib import Path

from stagelight.comparison.locked_key import CONVENTION, SETTING, STATIC
from stagelight.control.lock_file import read_lock
from stagelight.model.aval import SHORT_DTYPES, Aval
from stagelight.model.lock import KeyPart
from stagelight.model.recorded_call import RecordedCall, StaticText
from stagelight.model.structure import TreeNode

_AVAL = re.compile(r"(?P<weak>~?)(?P<dtype>[a-z]+\d*|key<\w+>)\[(?P<shape>[\d,]*)\](?P<rest>.*)", re.DOTALL)
_STATIC = re.compile(r"(?P<text>.*) \((?P<type>[\w.]+)(?: [^()]*)?\)", re.DOTALL)
_NEXT_KEY = re.compile(r"\.[^\W\d]\w*|\[(?:[^\[\]]|\[[^\[\]]*\])*\]")
_LONG_DTYPES = {short: long for long, short in SHORT_DTYPES.items()}


def calls_of_lock(path: Path, parameters: Mapping[str, tuple[str, ...]]) -> tuple[RecordedCall, ...]:
    """One call for each specialization. A lock holds no placements: the calls are of uncommitted arrays.

    Args:
        path: The lock file.
        parameters: Names of the parameters of each function in order, by its plain or qualified name.

    Raises:
        LockError: It cannot be read.
    """
    return tuple(
        call_from_key(function.name, specialization.key, parameters)
        for function in read_lock(path).functions
        for specialization in function.specializations
    )


def call_from_key(name: str, key: tuple[KeyPart, ...], parameters_of: Mapping[str, tuple[str, ...]]) -> RecordedCall:
    """The call of one specialization."""
    qualname = name.rpartition("::")[2]
    plain = qualname.rpartition(".")[2]
    parameters = parameters_of.get(qualname) or parameters_of.get(plain) or parameters_of.get("", ())
    parts = [p for p in key if not p.name.startswith((SETTING, STATIC)) and p.name != CONVENTION]
    trees: dict[str, _Growing] = {}
    whole = {part.name for part in parts}
    for part in parts:
        steps = _steps(part.name, whole)
        node = trees.setdefault(steps[0], _Growing())
        for step in steps[1:]:
            node = node.children.setdefault(step, _Growing())
        node.text = part.text
    positional, keywords = _convention(next((p.text for p in key if p.name == CONVENTION), ""))
    ordered = sorted(trees, key=lambda n: _argument_order(n, parameters, keywords))
    avals: list[Aval] = []
    arguments = tuple((n, trees[n].node(avals)) for n in ordered)
    return RecordedCall(
        function=plain, qualname=qualname, parameters=parameters, positional=positional, keywords=keywords,
        arguments=arguments, avals=tuple(avals), static=_static(key),
    )  # fmt: skip


class _Growing:
    def __init__(self) -> None:
        self.text = ""
        self.children: dict[str, _Growing] = {}

    def node(self, avals: list[Aval]) -> TreeNode:
        """The node; the avals of its leaves are appended in JAX's order, that of the keys."""
        aval = _aval(self.text) if not self.children else None
        if aval is not None:
            avals.append(aval)
            return TreeNode(kind="*")
        kind = self.text.partition(" of ")[0]
        keys = sorted(self.children, key=_key_order)
        return TreeNode(kind=kind, keys=tuple(keys), children=tuple(self.children[k].node(avals) for k in keys))


def _key_order(key: str) -> tuple[int, str]:
    number = key[1:-1]
    return (int(number), "") if number.isdigit() else (0, key)


def _argument_order(name: str, parameters: tuple[str, ...], keywords: tuple[str, ...]) -> tuple[int, int, str]:
    """Positional arguments as the function declares them, those of a star after them; then keywords, by name."""
    if name in keywords:
        return 2, 0, name
    return (0, parameters.index(name), name) if name in parameters else (1, 0, name)


def _steps(path: str, whole: set[str]) -> list[str]:
    """The argument, and each key below it; ``rest[0]`` is an argument of its own where ``rest`` is a star."""
    found = _NEXT_KEY.findall(path)
    root = path[: len(path) - len("".join(found))]
    if root not in whole and found:
        return [root + found[0], *found[1:]]
    return [root, *found]


def _convention(text: str) -> tuple[int, tuple[str, ...]]:
    first, *rest = text.split(", ")
    count = first.partition(" ")[0]
    return int(count) if count.isdigit() else 0, tuple(name.removesuffix("=") for name in rest)


def _static(key: tuple[KeyPart, ...]) -> tuple[StaticText, ...]:
    found = []
    for part in key:
        if part.name.startswith(STATIC):
            match = _STATIC.fullmatch(part.text)
            type_name, text = (match["type"], match["text"]) if match else ("", part.text)
            found.append(StaticText(part.name.removeprefix(STATIC), type_name, text))
    return tuple(found)


def _aval(text: str) -> Aval | None:
    match = _AVAL.fullmatch(text)
    if match is None:
        return None
    shape = tuple(int(extent) for extent in match["shape"].split(",") if extent)
    return Aval(shape, _dtype(match["dtype"]), bool(match["weak"]), match["rest"].strip())


def _dtype(short: str) -> str:
    stem = short.rstrip("0123456789")
    return _LONG_DTYPES[stem] + short[len(stem) :] if stem in _LONG_DTYPES and stem != short else short
