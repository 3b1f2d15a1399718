"""Where two abstract values certainly differ as pytrees or in the kind of number at a leaf."""

from stagelight.lint.arithmetic import number_of, strength_of
from stagelight.lint.values import Array, DeviceArray, HostArray, Known, Mapping, Sequence, Value, is_none, literal_of

_KINDS = ("bool", "int", "float")


def difference(left: Value, right: Value, *, promotes_weak: bool = False, where: str = "") -> str:
    """Return a few words about the first certain difference, or an empty text.

    ``promotes_weak``: a weakly typed left side gives way to a higher kind of number on the right, as the start of a
    carry does (``_promote_weak_typed_inputs`` in ``jax/_src/lax/control_flow/common.py``).
    """
    kinds = _kind(left), _kind(right)
    if "" in kinds:
        return ""
    at = f" at {where}" if where else ""
    if kinds[0] != kinds[1]:
        return f"{kinds[0]} against {kinds[1]}{at}"
    match left, right:
        case Sequence(), Sequence():
            return _between_sequences(left, right, where, promotes_weak=promotes_weak)
        case Mapping(), Mapping():
            return _between_mappings(left, right, where, promotes_weak=promotes_weak)
        case _:
            return _between_leaves(left, right, at, promotes_weak=promotes_weak)


def _kind(value: Value) -> str:
    if is_none(value):
        return "None"
    if isinstance(value, Sequence):
        return "list" if value.is_list else "tuple"
    if isinstance(value, Mapping):
        return "dict"
    is_number = isinstance(value, Known) and isinstance(literal_of(value), (int, float))
    return "array" if is_number or isinstance(value, (Array, DeviceArray, HostArray)) else ""


def _between_sequences(left: Sequence, right: Sequence, where: str, *, promotes_weak: bool) -> str:
    if len(left.items) != len(right.items):
        return f"{len(left.items)} items against {len(right.items)}{f' at {where}' if where else ''}"
    for position, (a, b) in enumerate(zip(left.items, right.items, strict=True)):
        found = difference(a, b, promotes_weak=promotes_weak, where=f"{where}[{position}]")
        if found:
            return found
    return ""


def _between_mappings(left: Mapping, right: Mapping, where: str, *, promotes_weak: bool) -> str:
    mine, others = dict(left.items), dict(right.items)
    missing = sorted(map(repr, mine.keys() ^ others.keys()))
    if missing:
        return f"key {', '.join(missing)} on one side only{f' at {where}' if where else ''}"
    for key, value in mine.items():
        found = difference(value, others[key], promotes_weak=promotes_weak, where=f"{where}[{key!r}]")
        if found:
            return found
    return ""


def _between_leaves(left: Value, right: Value, at: str, *, promotes_weak: bool) -> str:
    a, b = number_of(left), number_of(right)
    if not a or not b or a == b:
        return ""
    gives_way = strength_of(left) != "strong" and _KINDS.index(a) < _KINDS.index(b)
    return "" if promotes_weak and gives_way and a != "bool" else f"{a} against {b}{at}"
