"""Record a Python process that a watched program started, then be the ``sitecustomize`` that would have run.

This folder stands first on ``PYTHONPATH`` while a program is watched with ``--follow-children``.
"""

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _follow() -> None:
    try:
        from stagelight.recorder.children import record_this_child

        record_this_child()
    except Exception as error:
        print(f"stagelight: cannot follow this process: {type(error).__name__}: {error}", file=sys.stderr)


def _chain() -> None:
    import importlib.machinery
    import importlib.util

    others = [p for p in sys.path if os.path.abspath(p or ".") != _here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_follow()
_chain()
