"""The calls that a lock file stands for, to warm them up."""

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from stagelight.comparison.locked_key import CONVENTION, SETTING, STATIC
from stagelight.control.lock_file import read_lock
from stagelight.model.aval import SHORT_DTYPES, Aval
from stagelight.model.lock import KeyPart, PlacedLeaf
from stagelight.model.placement import Placement
from stagelight.model.recorded_call import RecordedCall
from stagelight.model.structure import TreeNode
from stagelight.model.value import Value

_AVAL = re.compile(r"(?P<weak>~?)(?P<dtype>[a-z]+\d*|key<\w+>)\[(?P<shape>[\d,]*)\](?P<rest>.*)", re.DOTALL)
_STATIC = re.compile(r"(?P<text>.*) \((?P<type>[\w.]+)(?: [^()]*)?\)", re.DOTALL)
_BUILTIN = frozenset({"dict", "list", "tuple", "None"})
_NEXT_KEY = re.compile(r"\.[^\W\d]\w*|\[(?:[^\[\]]|\[[^\[\]]*\])*\]")
_LONG_DTYPES = {short: long for long, short in SHORT_DTYPES.items()}


def calls_of_lock(path: Path, parameters: Mapping[str, tuple[str, ...]]) -> tuple[RecordedCall, ...]:
    """One call for each executable of each specialization.

    Args:
        path: The lock file.
        parameters: Names of the parameters of each function in order, by its plain or qualified name.

    Raises:
        LockError: It cannot be read.
    """
    lock = read_lock(path)
    imports = dict(lock.imports)
    return tuple(
        with_placed(call_from_key(function.name, specialization.key, parameters, imports), placed)
        for function in lock.functions
        for specialization in function.specializations
        for placed in specialization.placed or ((),)
    )


def with_placed(call: RecordedCall, placed: tuple[PlacedLeaf, ...]) -> RecordedCall:
    """The call with its arguments where an executable had them."""
    at = {leaf.path: Placement("array", "", leaf.sharding, True, leaf.layout, leaf.devices) for leaf in placed}
    return msgspec.structs.replace(call, placements=tuple(at.get(path, Placement("array")) for path in call.paths))


def call_from_key(
    name: str,
    key: tuple[KeyPart, ...],
    parameters_of: Mapping[str, tuple[str, ...]],
    imports: Mapping[str, str] = {},
) -> RecordedCall:
    """The call of one specialization, its arrays not committed anywhere.

    Args:
        name: The function's name in the lock.
        key: Its parts.
        parameters_of: Names of the parameters of each function in order, by its plain or qualified name.
        imports: Where classes and functions that the key names can be imported from.
    """
    qualname = name.rpartition("::")[2]
    plain = qualname.rpartition(".")[2]
    parameters = parameters_of.get(qualname) or parameters_of.get(plain) or parameters_of.get("", ())
    parts = [p for p in key if not p.name.startswith((SETTING, STATIC)) and p.name != CONVENTION]
    trees: dict[str, _Growing] = {}
    whole = {part.name for part in parts}
    for part in parts:
        steps = _steps(part.name.removesuffix("."), whole)
        node = trees.setdefault(steps[0], _Growing())
        for step in steps[1:]:
            node = node.children.setdefault(step, _Growing())
        if part.name.endswith("."):  # static data of the node as one value
            node.static[""] = part.text
        else:
            node.text = part.text
    positional, keywords = _convention(next((p.text for p in key if p.name == CONVENTION), ""))
    ordered = sorted(trees, key=lambda n: _argument_order(n, parameters, keywords))
    growing = _Leaves(imports)
    arguments = tuple((n, trees[n].node(n, growing)) for n in ordered)
    return RecordedCall(
        function=plain,
        qualname=qualname,
        parameters=parameters,
        positional=positional,
        keywords=keywords,
        arguments=arguments,
        is_ordered=bool(parameters) or len(arguments) - len(keywords) <= 1,
        avals=tuple(growing.avals),
        paths=tuple(growing.paths),
        static=_static(key, imports),
    )


class _Leaves:
    def __init__(self, imports: Mapping[str, str]):
        self.imports = imports
        self.avals: list[Aval] = []
        self.paths: list[str] = []


class _Growing:
    def __init__(self) -> None:
        self.text = ""
        self.children: dict[str, _Growing] = {}
        self.static: dict[str, str] = {}

    def node(self, path: str, leaves: _Leaves) -> TreeNode:
        """The node; its leaves are appended in JAX's order, that of the keys."""
        aval = _aval(self.text) if not self.children else None
        if aval is not None:
            leaves.avals.append(aval)
            leaves.paths.append(path)
            return TreeNode(kind="*")
        kind, _, count = self.text.partition(" of ")
        if kind not in _BUILTIN:
            self._set_static_data_aside(int(count) if count.isdigit() else 0)
        keys = sorted(self.children, key=_key_order)
        return TreeNode(
            kind=kind,
            keys=tuple(keys),
            children=tuple(self.children[key].node(path + key, leaves) for key in keys),
            metadata=tuple((name, _value(text, leaves.imports)) for name, text in self.static.items()),
            type_path=leaves.imports.get(kind, ""),
        )

    def _set_static_data_aside(self, count: int) -> None:
        """A key writes the static data of a node as it writes its children, but for a type behind the text."""
        found = {
            key for key, part in self.children.items()
            if not part.children and _aval(part.text) is None and _STATIC.fullmatch(part.text)
        }  # fmt: skip
        if len(self.children) - len(found) == count:
            self.static |= {key[1:]: self.children.pop(key).text for key in sorted(found)}


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


def _static(key: tuple[KeyPart, ...], imports: Mapping[str, str]) -> tuple[tuple[str, Value], ...]:
    return tuple(
        (part.name.removeprefix(STATIC), _value(part.text, imports)) for part in key if part.name.startswith(STATIC)
    )


def _value(text: str, imports: Mapping[str, str]) -> Value:
    """What a key says of a static value: its text, and its type behind it."""
    match = _STATIC.fullmatch(text)
    type_name, text = (match["type"], match["text"]) if match else ("", text)
    return Value(type_name=type_name, text=text, token=text.rpartition(".")[2], import_path=imports.get(text, ""))


def _aval(text: str) -> Aval | None:
    match = _AVAL.fullmatch(text)
    if match is None:
        return None
    shape = tuple(int(extent) for extent in match["shape"].split(",") if extent)
    return Aval(shape, _dtype(match["dtype"]), bool(match["weak"]), match["rest"].strip())


def _dtype(short: str) -> str:
    stem = short.rstrip("0123456789")
    return _LONG_DTYPES[stem] + short[len(stem) :] if stem in _LONG_DTYPES and stem != short else short
