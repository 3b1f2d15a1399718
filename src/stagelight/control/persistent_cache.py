"""Look at the persistent compilation cache as this process would use it."""

import os
import stat
from pathlib import Path

from stagelight.adapters.persistent_cache import is_decided_without_cache
from stagelight.model.cache_check import CacheCheck

_REMOTE = "://"


def check_persistent_cache() -> CacheCheck:
    """Whether the cache is on, writable, trusted, warm, and was set before the first array.

    Loads JAX, and with it the settings of this environment; nothing is compiled, and nothing stays in the folder.
    """
    import jax

    folder = str(getattr(jax.config, "jax_compilation_cache_dir", None) or "")
    is_on = bool(folder) and bool(getattr(jax.config, "jax_enable_compilation_cache", True))
    least_s = float(getattr(jax.config, "jax_persistent_cache_min_compile_time_secs", 0.0))
    decided = is_decided_without_cache()
    in_time = None if decided is None else not decided
    if not is_on:
        said = "Set JAX_COMPILATION_CACHE_DIR to a folder that outlives the process"
        problem = f"{said}: every process compiles everything again."
        return CacheCheck(is_on=False, folder=folder, set_before_first_array=None, problems=(problem,))
    if _REMOTE in folder:
        return CacheCheck(
            is_on=True, folder=folder, is_writable=True, is_trusted=True, set_before_first_array=in_time,
            least_compile_s=least_s, problems=("The folder is remote: whether it can be written was not looked at.",),
        )  # fmt: skip
    path = Path(folder)
    entries = [entry for entry in path.glob("*") if entry.is_file()] if path.is_dir() else []
    writable, trusted = _is_writable(path), _is_trusted(path)
    return CacheCheck(
        is_on=True,
        folder=folder,
        is_writable=writable,
        is_trusted=trusted,
        entries=sum(not entry.name.endswith("-atime") for entry in entries),
        size_bytes=sum(entry.stat().st_size for entry in entries),
        set_before_first_array=in_time,
        least_compile_s=least_s,
        problems=tuple(_problems(folder, writable, trusted, in_time, least_s)),
    )


def _problems(folder: str, writable: bool, trusted: bool, in_time: bool | None, least_s: float) -> list[str]:
    found = []
    if not writable:
        found.append(f"{folder} cannot be written: hits are used, but nothing new is kept.")
    if not trusted:
        found.append(f"{folder} can be written by others: compiled programs in it are run unseen. Use chmod go-w.")
    if in_time is False:
        found.append("The folder was set after the first compile of this process, too late: set it in the environment.")
    if least_s > 0:
        found.append(
            f"Compiles below {least_s:g} s are not kept: set JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0 to keep all."
        )
    return found


def _is_writable(path: Path) -> bool:
    """JAX makes the folder when it first writes: then the nearest folder above it has to be writable."""
    while not path.exists() and path != path.parent:
        path = path.parent
    return path.is_dir() and os.access(path, os.W_OK | os.X_OK)


def _is_trusted(path: Path) -> bool:
    try:
        found = path.stat()
    except OSError:
        return True  # it will be made by this user
    mine = not hasattr(os, "getuid") or found.st_uid in (os.getuid(), 0)
    return mine and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
