"""Words that several rules use for the same thing."""

import ast

from stagelight.lint.spans import shown
from stagelight.lint.values import Origins


def traced(node: ast.AST, origins: Origins) -> str:
    """Return ``'x > 0' is traced data (from x)``."""
    return f"`{shown(node)}` is traced data ({flows_from(origins)})"


def flows_from(origins: Origins) -> str:
    """Return where data flows from, in a few words."""
    if not origins:
        return "the result of a JAX operation"
    names = sorted(origins)
    return "from " + ", ".join(names[:3]) + ("…" if len(names) > 3 else "")
