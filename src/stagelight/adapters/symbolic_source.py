"""The user's line that an equation came from.

Follows ``jax/_src/source_info_util.py`` (``user_frames``). Where that has moved, lines are unknown and nothing else is
lost.
"""

import os
import site
import sysconfig
from typing import Any

import msgspec

import stagelight

_OWN_FOLDER = os.path.dirname(os.path.abspath(stagelight.__file__)) + os.sep
_LIBRARY_FOLDERS = tuple(
    folder + os.sep for folder in {*site.getsitepackages(), sysconfig.get_path("purelib"), sysconfig.get_path("stdlib")}
)


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A place in source; ``file`` is empty and ``line`` 0 where it is unknown."""

    file: str = ""
    line: int = 0
    function: str = ""


def source_line(equation: Any) -> Line:
    """The innermost line of the user's own code that made an equation, or else of the library that did."""
    frames = _frames(equation)
    own = [frame for frame in frames if not frame.file_name.startswith((*_LIBRARY_FOLDERS, "<"))]
    for frame in (*own, *frames):
        return Line(file=frame.file_name, line=frame.start_line, function=frame.function_name)
    return Line()


def _frames(equation: Any) -> list[Any]:
    try:
        from jax._src.source_info_util import user_frames

        frames = list(user_frames(equation.source_info.traceback))
    except (ImportError, AttributeError, TypeError):
        return []
    return [frame for frame in frames if not frame.file_name.startswith(_OWN_FOLDER)]
