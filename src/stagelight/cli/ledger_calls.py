"""Calls of one function in JAX's notation, from the traces in ledgers."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from stagelight.errors import UsageError
from stagelight.model.aval import Aval, text_from_aval
from stagelight.model.event import FunctionSeen, StructureSeen, Traced
from stagelight.model.function import Function
from stagelight.model.structure import Structure, TreeNode
from stagelight.recorder.ledger_file import ledgers_from

_LITERALS = frozenset({"str", "int", "float", "bool", "NoneType", "tuple", "bytes"})


def calls_from_ledgers(ledgers: Sequence[str], file: str, function: str) -> tuple[str, ...]:
    """The calls that a function was traced for, each once, the last first.

    Args:
        ledgers: Files, folders or patterns.
        file: File that defines the function.
        function: Its qualified name, or the last part of it.

    Raises:
        UsageError: No trace of the function was recorded, or none of its calls can be written.
    """
    traces = list(_traces(ledgers, file, function))
    if not traces:
        message = f"no trace of {function} of {file} is in {', '.join(ledgers)}"
        raise UsageError(message)
    written = [text for trace, structure in reversed(traces) if (text := _call_text(trace, structure)) is not None]
    if not written:
        kinds = ", ".join(sorted({kind for trace, structure in traces for kind in _unwritable(trace, structure)}))
        message = (
            f"the calls of {function} hold {kinds}, which JAX's notation cannot write: "
            "give the call with --call, where names of the module may be used"
        )
        raise UsageError(message)
    return tuple(dict.fromkeys(written))


def _traces(ledgers: Sequence[str], file: str, function: str) -> Iterator[tuple[Traced, Structure]]:
    for ledger in ledgers_from(ledgers):
        numbers: set[int] = set()
        structures: dict[str, Structure] = {}
        for event in ledger.entries():
            if isinstance(event, StructureSeen):
                structures[event.digest] = event.structure
            elif isinstance(event, FunctionSeen) and _is_wanted(event.function, file, function):
                numbers.add(event.function.number)
            elif isinstance(event, Traced) and event.function in numbers and event.structure in structures:
                yield event, structures[event.structure]


def _is_wanted(seen: Function, file: str, function: str) -> bool:
    same_file = bool(seen.file) and Path(seen.file).name == Path(file).name
    return same_file and (seen.qualname == function or seen.qualname.endswith("." + function) or seen.name == function)


def _call_text(trace: Traced, structure: Structure) -> str | None:
    avals = iter(trace.avals)
    positional: list[str] = []
    named: list[str] = []
    for index, (name, tree) in enumerate(structure.arguments):
        text = _tree_text(tree, avals)
        if text is None:
            return None
        # With static arguments in between, positions would shift: a name says what is meant.
        is_positional = index < trace.positional and not trace.static and name not in trace.keywords
        (positional if is_positional else named).append(text if is_positional else f"{name}={text}")
    for name, value in trace.static:
        if value.type_name.rpartition(".")[2] not in _LITERALS:
            return None
        named.append(f"{name}={value.text}")
    return ", ".join([*positional, *named])


def _unwritable(trace: Traced, structure: Structure) -> Iterator[str]:
    """Types that keep a call from being written."""
    waiting = [tree for _, tree in structure.arguments]
    while waiting:
        tree = waiting.pop()
        if tree.kind not in ("*", "None", "dict", "list", "tuple"):
            yield tree.kind
        waiting.extend(tree.children)
    yield from (v.type_name for _, v in trace.static if v.type_name.rpartition(".")[2] not in _LITERALS)


def _tree_text(tree: TreeNode, avals: Iterator[Aval]) -> str | None:
    if tree.kind == "*":
        return text_from_aval(next(avals))
    if tree.kind == "None":
        return "None"
    parts = [_tree_text(child, avals) for child in tree.children]
    if None in parts or tree.kind not in ("dict", "list", "tuple"):
        return None
    texts = [str(part) for part in parts]
    if tree.kind == "dict":
        return "{" + ", ".join(f"{key[1:-1]}: {text}" for key, text in zip(tree.keys, texts, strict=True)) + "}"
    return f"[{', '.join(texts)}]" if tree.kind == "list" else f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
