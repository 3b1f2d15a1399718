"""Share files among worker processes; small jobs stay in this one."""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from stagelight.inspection.file_results import FileResult, check_files

_FEWEST_FOR_PROCESSES = 150
"""Below it, starting interpreters costs more than they save."""
_SHARES_PER_PROCESS = 4


def check_in_processes(paths: list[Path], assume_traced: tuple[str, ...], jobs: int | None) -> list[FileResult]:
    """Check files in parallel and return the results in the order of the files.

    Neighbouring files stay together, because they import each other. ``jobs`` of None means one per core.
    """
    count = jobs if jobs is not None else os.cpu_count() or 1
    if count <= 1 or len(paths) < (2 if jobs else _FEWEST_FOR_PROCESSES):
        return check_files(paths, assume_traced)
    size = max(1, -(-len(paths) // (count * _SHARES_PER_PROCESS)))
    shares = [paths[start : start + size] for start in range(0, len(paths), size)]
    # A forked child may inherit locks that other threads hold; a fresh interpreter does not.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=min(count, len(shares)), mp_context=context) as pool:
        results = pool.map(check_files, shares, [assume_traced] * len(shares))
        return [result for share in results for result in share]
