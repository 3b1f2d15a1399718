"""Whether an argument can be static, and the values that it should be tried with."""

import ast

from stagelight.repair.refusal import Refusal
from stagelight.repair.subject import Subject


def require_static_sense(name: str, value: object) -> None:
    """Check that an argument can be static, and that it would take few values.

    Raises:
        Refusal: It cannot, or would compile again and again.
    """
    if hasattr(value, "shape"):
        raise Refusal(f"{name} is an array: it cannot be static")
    if isinstance(value, float):
        raise Refusal(f"{name} is a float: as a static argument it would compile once a value")
    try:
        hash(value)
    except TypeError:
        raise Refusal(
            f"{name} is a {type(value).__name__}, which has no hash: pass a tuple to make it static"
        ) from None


def texts_compared(subject: Subject) -> dict[int, list[str]]:
    """By position, texts that a parameter is compared with: each may lead somewhere else."""
    found: dict[int, list[str]] = {}
    for node in ast.walk(subject.definition):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id in subject.parameters:
            constants = [n for c in node.comparators for n in ast.walk(c) if isinstance(n, ast.Constant)]
            texts = [c.value for c in constants if isinstance(c.value, str)]
            found.setdefault(subject.parameters.index(node.left.id), []).extend(texts)
    return found
