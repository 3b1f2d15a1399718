"""Make the arguments of a recorded call again, from shapes alone: nothing is allocated."""

import ast
from typing import Any

import msgspec

from stagelight.control.key_types import PREFIX, key_of
from stagelight.control.tree_rebuilding import tree_from_node
from stagelight.control.value_rebuilding import NotRebuilt, Rebuilding
from stagelight.model.aval import ON_MESH, Aval
from stagelight.model.placement import Placement
from stagelight.model.recorded_call import RecordedCall


def arguments_of(call: RecordedCall, module: str = "") -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments whose leaves are ``jax.ShapeDtypeStruct``.

    Args:
        call: What was recorded.
        module: The module that now holds the function, where the program ran it as ``__main__``.

    Raises:
        NotRebuilt: A node, a static value or a sharding was recorded by a description that cannot be turned back.
    """
    rebuilding = Rebuilding(module)
    leaves = {path: _leaf(call, index) for index, path in enumerate(call.paths)}
    static = {name: rebuilding.value(value, f"the static argument {name}") for name, value in call.static}

    def leaf(path: str) -> Any:
        return leaves[path] if path in leaves else static[path]

    dynamic = {name: tree_from_node(tree, name, leaf, rebuilding) for name, tree in call.arguments}
    kwargs = {name: (static if name in static else dynamic)[name] for name in call.keywords}
    rest = iter([value for name, value in dynamic.items() if name not in kwargs])
    args = [static[name] if name in static else next(rest) for name in _positional_names(call)]
    return tuple(args), kwargs


def _positional_names(call: RecordedCall) -> list[str]:
    """The parameter that each positional argument goes to; a star's are no static ones by name."""
    # Equinox passes its own three arguments by position: what the user's function has is counted instead.
    has = len([name for name, _ in call.arguments if name not in call.keywords])
    by_position = [name for name, _ in call.static if name not in call.keywords and _is_argument(name)]
    if not call.is_ordered or (by_position and not call.parameters):
        message = (
            f"the arguments of {call.function} are passed by position, and neither the lock nor the signature of the "
            "function says in which order"
        )
        raise NotRebuilt(message)
    positional = min(call.positional, has + len(by_position))
    names = [name for name in call.parameters if name not in call.keywords][:positional]
    return names + [""] * (positional - len(names))


def _is_argument(name: str) -> bool:
    """Whether a static value is an argument of its own, and no leaf of one that Equinox has set aside."""
    return "." not in name and "[" not in name


def _leaf(call: RecordedCall, index: int) -> Any:
    placement = call.placements[index] if index < len(call.placements) else Placement("array")
    return shape_from_record(call.avals[index], placement)


def shape_from_record(aval: Aval, placement: Placement) -> Any:
    """A ``jax.ShapeDtypeStruct`` with the weak type, sharding and layout that were recorded.

    Raises:
        NotRebuilt: Its sharding or its aval cannot be made again here.
    """
    import jax

    is_explicit = bool(aval.sharding) and not aval.sharding.startswith(ON_MESH)
    options = {"sharding": _sharding(placement, is_explicit=is_explicit)} if placement.committed else {}
    if aval.extra or (aval.sharding and not options) or not all(isinstance(extent, int) for extent in aval.shape):
        message = f"an argument of shape {aval.shape} {aval.sharding} {aval.extra}".rstrip() + " cannot be made again"
        raise NotRebuilt(message)
    shape = tuple(int(extent) for extent in aval.shape)
    return jax.ShapeDtypeStruct(shape, _dtype(aval), weak_type=aval.weak, **options)


def _dtype(aval: Aval) -> Any:
    import jax.numpy as jnp

    if aval.dtype.startswith(PREFIX):
        return key_of(aval.dtype).dtype
    return jnp.dtype(aval.dtype)


def _sharding(placement: Placement, *, is_explicit: bool) -> Any:
    import jax

    if placement.layout:
        from jax.experimental.layout import Format, Layout

        order = ast.literal_eval(placement.layout.removeprefix("major_to_minor="))
        plain = msgspec.structs.replace(placement, layout="")
        return Format(Layout(tuple(order)), _sharding(plain, is_explicit=is_explicit))
    by_name = {str(device): device for device in jax.devices()}
    if placement.sharding == "single device" and placement.devices in by_name:
        return jax.sharding.SingleDeviceSharding(by_name[placement.devices])
    spec, _, mesh = placement.sharding.partition(" on mesh (")
    try:
        return _named_sharding(spec, mesh.rstrip(")"), is_explicit=is_explicit)
    except Exception:
        message = f"the sharding {placement.sharding} ({placement.devices}) cannot be made again on these devices"
        raise NotRebuilt(message) from None


def _named_sharding(spec: str, mesh: str, *, is_explicit: bool) -> Any:
    """From ``PartitionSpec('data',)`` and ``data=2``, on as many of the devices as it needs, in their order."""
    import jax

    axes = dict(part.split("=") for part in mesh.split(", "))
    call = ast.parse(spec, mode="eval").body
    if not isinstance(call, ast.Call) or call.keywords:
        raise ValueError(spec)
    parts = [ast.literal_eval(argument) for argument in call.args]
    kind = jax.sharding.AxisType.Explicit if is_explicit else jax.sharding.AxisType.Auto
    made = jax.make_mesh(tuple(int(n) for n in axes.values()), tuple(axes), axis_types=(kind,) * len(axes))
    return jax.sharding.NamedSharding(made, jax.sharding.PartitionSpec(*parts))
