"""What JAX knows of an array while it traces: shape, dtype, weak type, sharding."""

import msgspec

SHORT_DTYPES = {
    "float": "f",
    "bfloat": "bf",
    "int": "i",
    "uint": "u",
    "complex": "c",
}


ON_MESH = "mesh "
"""How the sharding in an aval begins on a mesh with automatic axes."""


class Aval(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Abstract value of one array argument.

    Attributes:
        shape: Extents; a symbolic extent is its text.
        dtype: NumPy's name (``float32``), or JAX's for extended ones (``key<fry>``).
        weak: Whether the type is weak, as that of a Python scalar.
        sharding: Text of the sharding inside the aval: the spec on explicit axes (``P('rows',)``), the mesh alone on
            automatic ones (``mesh (rows=2)``); empty off every mesh.
        extra: Text of any further part of the aval (memory space, varying axes), else empty.
    """

    shape: tuple[int | str, ...]
    dtype: str
    weak: bool = False
    sharding: str = ""
    extra: str = ""


def short_dtype(dtype: str) -> str:
    """JAX's short name of a dtype.

    Follows ``jax/_src/dtypes.py: short_dtype_name``.

    >>> short_dtype("float32"), short_dtype("bool"), short_dtype("key<fry>")
    ('f32', 'bool', 'key<fry>')
    """
    stem = dtype.rstrip("0123456789")
    return SHORT_DTYPES[stem] + dtype[len(stem) :] if stem in SHORT_DTYPES and stem != dtype else dtype


def text_from_aval(aval: Aval) -> str:
    """The aval as JAX writes it, with ``~`` before a weak type.

    >>> text_from_aval(Aval((32, 128), "float32")), text_from_aval(Aval((), "int32", True))
    ('f32[32,128]', '~i32[]')
    """
    shape = ",".join(str(n) for n in aval.shape)
    return f"{'~' if aval.weak else ''}{short_dtype(aval.dtype)}[{shape}]"
