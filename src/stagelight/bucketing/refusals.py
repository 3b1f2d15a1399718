"""Why a function could not be traced with symbolic sizes, in the user's words."""

import linecache
import os
import site
import sysconfig
import traceback

import stagelight
from stagelight.errors import BucketingRefused

_OWN_FOLDER = os.path.dirname(os.path.abspath(stagelight.__file__)) + os.sep
_LIBRARY_FOLDERS = tuple(
    folder + os.sep for folder in {*site.getsitepackages(), sysconfig.get_path("purelib"), sysconfig.get_path("stdlib")}
)


def refusal_from(error: BaseException) -> BucketingRefused:
    """An error that names the line whose operation on a size cannot be traced, and what to do instead."""
    if isinstance(error, BucketingRefused):
        return error
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_library(frame.filename)]
    reason = str(error).split("\n", 1)[0]
    where = "\n  at an unknown line"
    if frames:
        source = linecache.getline(frames[-1].filename, frames[-1].lineno or 0).strip()
        where = f"\n  at {frames[-1].filename}:{frames[-1].lineno} ({frames[-1].name}): {source}"
    return BucketingRefused(
        f"the function cannot be traced with a size that is not a number yet: {type(error).__name__}: {reason}{where}\n"
        f"  Compute with sizes in array operations (x.mean(), jnp.arange(n), lax.scan) and not in Python loops, int(), "
        f"np.arange or comparisons, or pass on_unsupported='exact' to compile such calls once per size."
    )


def _is_library(file: str) -> bool:
    return file.startswith((_OWN_FOLDER, *_LIBRARY_FOLDERS, "<"))
