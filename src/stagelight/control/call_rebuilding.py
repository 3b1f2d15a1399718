"""Make the arguments of a recorded call again, from shapes alone: nothing is allocated."""

import ast
from collections.abc import Iterator
from typing import Any

import msgspec

from stagelight.errors import StagelightError
from stagelight.model.aval import Aval
from stagelight.model.placement import Placement
from stagelight.model.recorded_call import RecordedCall, StaticText
from stagelight.model.structure import TreeNode

_LITERALS = frozenset({"int", "float", "bool", "str", "NoneType", "tuple", "bytes"})


class NotRebuilt(StagelightError):
    """A recorded call that cannot be made again from what was recorded."""


def arguments_of(call: RecordedCall) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments whose leaves are ``jax.ShapeDtypeStruct``.

    Raises:
        NotRebuilt: A node, a static value or a sharding was recorded by a description that cannot be turned back.
    """
    leaves = iter([_leaf(call, index) for index in range(len(call.avals))])
    dynamic = {name: _tree(tree, leaves, name) for name, tree in call.arguments}
    static = {value.name: _literal(value) for value in call.static}
    kwargs = {name: (static if name in static else dynamic)[name] for name in call.keywords}
    rest = iter([value for name, value in dynamic.items() if name not in kwargs])
    args = [static[name] if name in static else next(rest) for name in _positional_names(call)]
    return tuple(args), kwargs


def _positional_names(call: RecordedCall) -> list[str]:
    """The parameter that each positional argument goes to; a star's are no static ones by name."""
    by_position = [value.name for value in call.static if value.name not in call.keywords]
    if by_position and not call.parameters:
        message = f"the static argument {by_position[0]} is passed by position, and a lock does not hold which"
        raise NotRebuilt(message)
    names = [name for name in call.parameters if name not in call.keywords][: call.positional]
    return names + [""] * (call.positional - len(names))


def _tree(node: TreeNode, leaves: Iterator[Any], path: str) -> Any:
    children = zip(node.keys, node.children, strict=True)
    match node.kind:
        case "*":
            return next(leaves)
        case "None":
            return None
        case "dict":
            return {_dict_key(key, path): _tree(child, leaves, path + key) for key, child in children}
        case "list":
            return [_tree(child, leaves, path + key) for key, child in children]
        case "tuple":
            return tuple([_tree(child, leaves, path + key) for key, child in children])
    message = f"{path} is a {node.kind}: only dict, list, tuple and None can be made again from a record"
    raise NotRebuilt(message)


def _dict_key(key: str, path: str) -> Any:
    try:
        return ast.literal_eval(key[1:-1])
    except (ValueError, SyntaxError):
        message = f"the key {key} of {path} is no plain value"
        raise NotRebuilt(message) from None


def _literal(value: StaticText) -> Any:
    if value.type_name in _LITERALS:
        try:
            return ast.literal_eval(value.text)
        except (ValueError, SyntaxError):
            pass
    message = (
        f"the static argument {value.name} is {value.text} ({value.type_name}): only plain values can be made again"
    )
    raise NotRebuilt(message)


def _leaf(call: RecordedCall, index: int) -> Any:
    placement = call.placements[index] if index < len(call.placements) else Placement("array")
    return shape_from_record(call.avals[index], placement)


def shape_from_record(aval: Aval, placement: Placement) -> Any:
    """A ``jax.ShapeDtypeStruct`` with the weak type, sharding and layout that were recorded.

    Raises:
        NotRebuilt: Its sharding or its aval cannot be made again here.
    """
    import jax

    options = {"sharding": _sharding(placement)} if placement.committed else {}
    return jax.ShapeDtypeStruct(_shape(aval), _dtype(aval), weak_type=aval.weak, **options)


def _shape(aval: Aval) -> tuple[int, ...]:
    if aval.sharding or aval.extra or not all(isinstance(extent, int) for extent in aval.shape):
        message = f"an argument of shape {aval.shape} {aval.sharding} {aval.extra}".rstrip() + " cannot be made again"
        raise NotRebuilt(message)
    return tuple(int(extent) for extent in aval.shape)


def _dtype(aval: Aval) -> Any:
    import jax.numpy as jnp

    if aval.dtype.startswith("key<"):
        import jax

        implementations = {"fry": "threefry2x32", "rbg": "rbg", "urbg": "unsafe_rbg"}
        return jax.random.key(0, impl=implementations.get(aval.dtype[4:-1], "threefry2x32")).dtype
    return jnp.dtype(aval.dtype)


def _sharding(placement: Placement) -> Any:
    import jax

    if placement.layout:
        from jax.experimental.layout import Format, Layout

        order = ast.literal_eval(placement.layout.removeprefix("major_to_minor="))
        return Format(Layout(tuple(order)), _sharding(msgspec.structs.replace(placement, layout="")))
    by_name = {str(device): device for device in jax.devices()}
    if placement.sharding == "single device" and placement.devices in by_name:
        return jax.sharding.SingleDeviceSharding(by_name[placement.devices])
    spec, _, mesh = placement.sharding.partition(" on mesh (")
    try:
        return _named_sharding(spec, mesh.rstrip(")"))
    except Exception:
        message = f"the sharding {placement.sharding} ({placement.devices}) cannot be made again on these devices"
        raise NotRebuilt(message) from None


def _named_sharding(spec: str, mesh: str) -> Any:
    """From ``PartitionSpec('data',)`` and ``data=2``, on as many of the devices as it needs, in their order."""
    import jax

    axes = dict(part.split("=") for part in mesh.split(", "))
    call = ast.parse(spec, mode="eval").body
    if not isinstance(call, ast.Call) or call.keywords:
        raise ValueError(spec)
    parts = [ast.literal_eval(argument) for argument in call.args]
    made = jax.make_mesh(
        tuple(int(n) for n in axes.values()), tuple(axes), axis_types=(jax.sharding.AxisType.Auto,) * len(axes)
    )
    return jax.sharding.NamedSharding(made, jax.sharding.PartitionSpec(*parts))
