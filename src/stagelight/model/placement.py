"""Where the data of one argument lives."""

from typing import Literal

import msgspec


class Placement(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What decides, beside the aval, which executable serves a call.

    Attributes:
        kind: ``array`` (a JAX array), ``host`` (NumPy array or Python scalar), or ``tracer``.
        type_name: The Python type of a host value or tracer.
        sharding: Text of the sharding.
        committed: Whether the array is committed to its devices.
        layout: Text of a layout that is not the default one.
        devices: Devices, as text.
    """

    kind: Literal["array", "host", "tracer"]
    type_name: str = ""
    sharding: str = ""
    committed: bool = False
    layout: str = ""
    devices: str = ""
