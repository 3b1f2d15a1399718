"""The least upper bound of two abstract values: what holds when control flow comes together."""

from stagelight.lint.values import (
    METADATA,
    STATIC,
    UNKNOWN,
    Array,
    DeviceArray,
    HostArray,
    Instance,
    Known,
    LeafWise,
    Mapping,
    Maybe,
    Sequence,
    Tree,
    Value,
    origins_of,
)
from stagelight.model.binding_time import BindingTime

_MAY_BE_DATA = (Array, Tree, Maybe)
_MIXES_INTO_MAYBE = (Array, Tree, Maybe, Known, HostArray, DeviceArray, Sequence, Mapping)


def join(left: Value | None, right: Value | None) -> Value:
    """Return the least value that covers both; a missing side gives the other."""
    if left is None:
        return UNKNOWN if right is None else right
    if right is None or left is right or left == right:
        return left
    if type(left) is type(right):
        same = _join_alike(left, right)
        if same is not None:
            return same
    if isinstance(left, (Array, Tree)) and isinstance(right, (Array, Tree)):
        is_full = all(isinstance(side, Array) or side.is_full for side in (left, right))
        return Tree(left.origins | right.origins, is_full=is_full)
    mixes = isinstance(left, _MIXES_INTO_MAYBE) and isinstance(right, _MIXES_INTO_MAYBE)
    is_doubtful = isinstance(left, _MAY_BE_DATA) or isinstance(right, _MAY_BE_DATA)
    return Maybe(origins_of(left, right)) if mixes and is_doubtful else UNKNOWN


def _join_alike(left: Value, right: Value) -> Value | None:
    match left, right:
        case Known(), Known():
            return METADATA if BindingTime.METADATA in (left.time, right.time) else STATIC
        case Array(), Array():
            return Array(
                left.origins | right.origins,
                left.is_mask and right.is_mask,
                left.strength if left.strength == right.strength else "",
                left.number if left.number == right.number else "",
            )
        case Tree(), Tree():
            return Tree(
                left.origins | right.origins,
                left.is_parameter and right.is_parameter,
                left.is_present and right.is_present,
                left.is_full and right.is_full,
            )
        case Maybe(), Maybe():
            return Maybe(
                left.origins | right.origins,
                left.is_flag and right.is_flag,
                left.is_present and right.is_present,
                left.is_operand and right.is_operand,
            )
        case Sequence(), Sequence() if len(left.items) == len(right.items) and left.is_list == right.is_list:
            return Sequence(tuple(map(join, left.items, right.items)), left.is_list)
        case Mapping(), Mapping() if [k for k, _ in left.items] == [k for k, _ in right.items]:
            pairs = zip(left.items, right.items, strict=True)
            return Mapping(tuple((key, join(a, b)) for (key, a), (_, b) in pairs))
        case Instance(), Instance() if left.definition is right.definition and left.is_traced == right.is_traced:
            return Instance(left.definition, left.origins | right.origins, left.is_traced, _joint_fields(left, right))
        case LeafWise(), LeafWise():
            return LeafWise(join(left.tree, right.tree))
        case HostArray(), HostArray():
            return HostArray()
        case DeviceArray(), DeviceArray():
            return DeviceArray(
                left.strength if left.strength == right.strength else "",
                left.number if left.number == right.number else "",
            )
        case _:
            return None


def join_all(*values: Value) -> Value:
    """Return the join of any number of values; Unknown when there are none."""
    joined: Value | None = None
    for value in values:
        joined = join(joined, value)
    return UNKNOWN if joined is None else joined


def _joint_fields(left: Instance, right: Instance) -> dict[str, Value] | None:
    if left.fields is right.fields:
        return left.fields
    if left.fields is None or right.fields is None:
        return None
    # A field that one side lacks is not read there; objects that hold each other would never come to an end.
    mine, others = left.fields, right.fields
    return {name: _joined_field(mine.get(name), others.get(name)) for name in {**mine, **others}}


def _joined_field(left: Value | None, right: Value | None) -> Value:
    if isinstance(left, Instance) and isinstance(right, Instance) and left is not right:
        return left if left.definition is right.definition and left.fields is right.fields else UNKNOWN
    return join(left, right)
