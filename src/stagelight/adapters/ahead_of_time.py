"""Whether the program itself asks for a compile, ahead of any call.

Follows ``jax/_src/stages.py: Lowered.compile``. A compile outside any call that left the fast path may also be one of
an eager operation under a transformation.
"""

from types import FrameType

_COMPILE = "Lowered.compile"
_FILE = "stages.py"
_DEEPEST = 100


def is_asked_for(frame: FrameType | None) -> bool:
    """Whether ``lowered.compile()`` is on the stack."""
    for _ in range(_DEEPEST):
        if frame is None:
            return False
        code = frame.f_code
        if code.co_qualname == _COMPILE and code.co_filename.endswith(_FILE):
            return True
        frame = frame.f_back
    return False
