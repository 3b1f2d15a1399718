"""Where in the program something happened, and through which of JAX's transformations."""

from types import CodeType, FrameType

import msgspec

from stagelight.model.site import NOWHERE, Site
from stagelight.recorder.ownership import Ownership

# Functions of JAX's own files that stand on the stack while a transformation or an inspection runs.
TRANSFORMATIONS = {
    "grad_f": "grad", "value_and_grad_f": "grad", "vmap_f": "vmap", "jvp": "jvp", "_jvp": "jvp", "vjp": "vjp",
    "_vjp": "vjp", "linearize": "linearize", "make_jaxpr_f": "make_jaxpr", "eval_shape": "eval_shape",
    "fun_remat": "checkpoint", "jit_lower": "lower", "jit_trace": "trace", "jit_eval_shape": "eval_shape",
    "scan": "scan", "while_loop": "while_loop", "cond": "cond", "fori_loop": "fori_loop", "pmap_f": "pmap",
}  # fmt: skip
TRACER_TRANSFORMATIONS = {"BatchTracer": "vmap", "JVPTracer": "jvp", "LinearizeTracer": "grad"}
INSPECTIONS = frozenset({"eval_shape", "make_jaxpr", "lower", "trace"})
_DEEPEST = 400
_MOST_SITES = 4096
_SITES: dict[tuple[int, int], tuple[CodeType, Site]] = {}


class CallSite(msgspec.Struct, frozen=True, array_like=True):
    """The innermost frame outside JAX, the innermost of the user's own code, and what lies between."""

    call: Site
    user: Site
    under: tuple[str, ...]


def call_site(frame: FrameType | None, ownership: Ownership) -> CallSite:
    """Walk outwards from a frame.

    Args:
        frame: Where to begin, usually inside JAX.
        ownership: Whose file is whose.

    Returns:
        Both sites (the same place twice where no own code is on the stack), and the transformations between the call
        and the code that asked for them, innermost first.
    """
    call: Site | None = None
    under: list[str] = []
    known, named = ownership.known, TRANSFORMATIONS
    for _ in range(_DEEPEST):
        if frame is None:
            break
        code = frame.f_code
        owner = known.get(code.co_filename) or ownership.of(code.co_filename)
        if owner == "jax":
            if code.co_name in named and call is None and under[-1:] != [named[code.co_name]]:
                under.append(named[code.co_name])
        elif owner == "own" or (owner == "library" and call is None):
            here = site_of(frame)
            call = call or here
            if owner == "own":
                return CallSite(call, here, simplified(under))
        frame = frame.f_back
    found = call or NOWHERE
    return CallSite(found, found, simplified(under))


def user_site(frame: FrameType | None, ownership: Ownership) -> Site:
    """The innermost frame of the user's own code alone, as ``call_site`` finds it."""
    outside: Site | None = None
    known = ownership.known
    for _ in range(_DEEPEST):
        if frame is None:
            break
        file = frame.f_code.co_filename
        owner = known.get(file) or ownership.of(file)
        if owner == "own" or (owner == "library" and outside is None):
            here = site_of(frame)
            if owner == "own":
                return here
            outside = here
        frame = frame.f_back
    return outside or NOWHERE


def site_of(frame: FrameType) -> Site:
    """Where a frame stands, worked out once for each instruction: a line is found by decoding a table of the code's."""
    code, instruction = frame.f_code, frame.f_lasti
    known = _SITES.get((id(code), instruction))
    if known is not None:  # the code is held, so that its address is its own
        return known[1]
    if len(_SITES) >= _MOST_SITES:
        _SITES.clear()
    site = Site(code.co_filename, frame.f_lineno or 0, code.co_qualname)
    _SITES[id(code), instruction] = code, site
    return site


def simplified(under: list[str]) -> tuple[str, ...]:
    """Leave out what a transformation is made of: ``grad`` runs ``vjp`` and ``linearize``, ``lower`` runs ``trace``.

    >>> simplified(["linearize", "vjp", "grad"]), simplified(["trace", "lower"])
    (('grad',), ('lower',))
    """
    if not under:
        return ()
    parts = {"vjp", "linearize", "jvp"} if "grad" in under else set[str]()
    if "lower" in under or "eval_shape" in under:
        parts.add("trace")
    return tuple(u for u in under if u not in parts)
