"""Calls on their way to another process: devices and shardings do not pickle, their descriptions do."""

from typing import Any

import msgspec

from stagelight.adapters.tracers import aval_from_jax
from stagelight.control.call_rebuilding import shape_from_record
from stagelight.control.call_specification import CallSpecification
from stagelight.model.aval import Aval
from stagelight.model.placement import Placement
from stagelight.recorder.shape_placements import placement_of_shape


class PortableShape(msgspec.Struct, frozen=True):
    """A ``jax.ShapeDtypeStruct`` as a record."""

    aval: Aval
    placement: Placement


def portable_call(call: CallSpecification) -> CallSpecification:
    """The call with every shape as a record, and nothing else that another process cannot have."""
    import jax

    def portable(leaf: Any) -> Any:
        if isinstance(leaf, jax.ShapeDtypeStruct):
            return PortableShape(aval_from_jax(leaf), placement_of_shape(leaf))
        return leaf

    args, kwargs = jax.tree.map(portable, (call.args, call.kwargs))
    return CallSpecification(function=call.function, shown=call.shown, args=args, kwargs=kwargs, text=call.text)


def shapes_from_portable(call: CallSpecification) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments of a call that came from another process."""
    import jax

    def shape(leaf: Any) -> Any:
        return shape_from_record(leaf.aval, leaf.placement) if isinstance(leaf, PortableShape) else leaf

    return jax.tree.map(shape, (call.args, call.kwargs))
