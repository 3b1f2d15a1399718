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
OWN, LIBRARY = "own", "library"
INSPECTIONS = frozenset({"eval_shape", "make_jaxpr", "lower", "trace"})
_DEEPEST = 400
_MOST_CODES = 4096
_MOST_SITES = 16384


class CallSite(msgspec.Struct, frozen=True, array_like=True):
    """The innermost frame outside JAX, the innermost of the user's own code, and what lies between."""

    call: Site
    user: Site
    under: tuple[str, ...]


class CallSites:
    """Finds where in the program something happened, looking at each code object and each instruction once.

    Code objects are known by address, since they hash by content, and held, so that an address stays that of one code.

    Args:
        ownership: Whose file is whose.
    """

    def __init__(self, ownership: Ownership):
        self._ownership = ownership
        self._roles: dict[int, tuple[str, CodeType]] = {}
        self._sites: dict[tuple[int, int], tuple[Site, CodeType]] = {}

    def of(self, frame: FrameType | None) -> CallSite:
        """Walk outwards from a frame, usually one inside JAX.

        Returns:
            Both sites (the same place twice where no own code is on the stack), and the transformations between the
            call and the code that asked for them, innermost first.
        """
        call: Site | None = None
        under: list[str] = []
        roles = self._roles
        for _ in range(_DEEPEST):
            if frame is None:
                break
            known = roles.get(id(frame.f_code))
            role = known[0] if known is not None else self._role_of(frame.f_code)
            if role == OWN:
                here = self.at(frame)
                return CallSite(call or here, here, simplified(under) if under else ())
            if role and call is None:
                if role == LIBRARY:
                    call = self.at(frame)
                elif not under or under[-1] != role:
                    under.append(role)
            frame = frame.f_back
        found = call or NOWHERE
        return CallSite(found, found, simplified(under))

    def user(self, frame: FrameType | None) -> Site:
        """The innermost frame of the user's own code alone, as ``of`` finds it."""
        return self.of(frame).user

    def at(self, frame: FrameType) -> Site:
        """Where a frame stands. A line is found by decoding a table of the code's."""
        where = id(frame.f_code), frame.f_lasti
        known = self._sites.get(where)
        if known is not None:
            return known[0]
        if len(self._sites) >= _MOST_SITES:
            self._sites.clear()
        code = frame.f_code
        site = Site(code.co_filename, frame.f_lineno or 0, code.co_qualname)
        self._sites[where] = site, code
        return site

    def _role_of(self, code: CodeType) -> str:
        """``OWN``, ``LIBRARY``, the transformation that a function of JAX's runs, or nothing."""
        if len(self._roles) >= _MOST_CODES:
            self._roles.clear()
        owner = self._ownership.of(code.co_filename)
        role = TRANSFORMATIONS.get(code.co_name, "") if owner == "jax" else owner if owner in (OWN, LIBRARY) else ""
        self._roles[id(code)] = role, code
        return role


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
