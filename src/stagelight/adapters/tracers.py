"""Tell tracers from arrays, and read the abstract values that JAX keeps of both."""

from typing import Any

from stagelight.model.aval import ON_MESH, Aval


def tracer_type() -> Any:
    """The class of all tracers (``jax/_src/core.py: Tracer``, public as ``jax.core.Tracer``)."""
    try:
        from jax.core import Tracer
    except ImportError:
        return ()
    return Tracer


def aval_from_jax(aval: Any) -> Aval:
    """A record of one of JAX's abstract values (``jax/_src/core.py: ShapedArray`` and its relatives)."""
    shape = getattr(aval, "shape", None)
    dtype = getattr(aval, "dtype", None)
    if shape is None or dtype is None:
        return Aval((), type(aval).__name__, False, "", str(aval)[:120])
    extents = tuple(n if type(n) is int else int(n) if hasattr(n, "__index__") else str(n) for n in shape)
    return Aval(extents, dtype.name, bool(getattr(aval, "weak_type", False)), _explicit_sharding(aval), _extra(aval))


def _explicit_sharding(aval: Any) -> str:
    """The part of a sharding that is in the type: the spec on explicit axes, the mesh alone on automatic ones."""
    sharding = getattr(aval, "sharding", None)
    spec, mesh = getattr(sharding, "spec", None), getattr(sharding, "mesh", None)
    if spec is None:
        return ""
    if any(part is not None for part in spec):
        return str(spec)
    axes = getattr(mesh, "shape", None)
    if not axes:
        return ""
    if any(getattr(kind, "name", "") == "Explicit" for kind in getattr(mesh, "axis_types", None) or ()):
        return str(spec)
    return f"{ON_MESH}({', '.join(f'{name}={size}' for name, size in axes.items())})"


def _extra(aval: Any) -> str:
    space = getattr(getattr(aval, "memory_space", None), "name", "") or ""
    found = [] if space in ("", "Device") else [f"memory {space}"]
    manual = getattr(aval, "mat", None) or getattr(aval, "vma", None)
    axes = {name: getattr(manual, name, None) for name in ("varying", "unreduced", "reduced")}
    if isinstance(manual, frozenset):
        axes = {"varying": manual}
    found += [f"{name} {', '.join(sorted(map(str, over)))}" for name, over in axes.items() if over]
    return "; ".join(found)
