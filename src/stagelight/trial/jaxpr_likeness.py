"""Whether a jaxpr of JAX and one of the reference machine are the same program, and what is printed differently."""

from typing import Any

from stagelight.reference.jaxpr import Jaxpr, inner_jaxprs

SCAN = "JAX prints more of a scan than the machine: how its operands are grouped (ft_in, ft_out, or linear)."
LET = "JAX prints a program that is called more than once in front, after `let`; the machine prints it at each call."


def likeness(theirs: Any, ours: Jaxpr) -> tuple[bool, tuple[str, ...]]:
    """Whether both have the same equations and avals, and notes on what differs."""
    mine, yours = _rows_of_jax(theirs.jaxpr), _rows_of_machine(ours)
    for number, (a, b) in enumerate(zip(mine, yours, strict=False), 1):
        if a != b:
            return False, (f"Equation {number} differs: JAX has {_told(a)}, the machine {_told(b)}.",)
    if len(mine) != len(yours):
        return False, (f"JAX has {len(mine)} equations, the machine {len(yours)}.",)
    text = str(theirs)
    if text == str(ours):
        return True, ()
    notes = [note for note, is_met in ((SCAN, "scan[" in text), (LET, text.startswith("let "))) if is_met]
    return True, tuple(notes) or ("JAX prints the same equations with other parameters.",)


def _told(row: tuple[str, tuple[str, ...]]) -> str:
    return f"{row[0]} giving {', '.join(row[1]) or 'nothing'}"


def _rows_of_jax(jaxpr: Any) -> list[tuple[str, tuple[str, ...]]]:
    rows = []
    for equation in jaxpr.eqns:
        rows.append((equation.primitive.name, tuple(_aval(v.aval) for v in equation.outvars)))
        values = [v for p in equation.params.values() for v in (p if isinstance(p, tuple | list) else (p,))]
        for value in values:
            inner = getattr(value, "jaxpr", value)
            rows += _rows_of_jax(inner) if hasattr(inner, "eqns") else []
    return rows


def _rows_of_machine(jaxpr: Jaxpr) -> list[tuple[str, tuple[str, ...]]]:
    rows = []
    for equation in jaxpr.equations:
        rows.append((equation.primitive.name, tuple(_aval(v.aval) for v in equation.outputs)))
        for inner in inner_jaxprs(equation.params):
            rows += _rows_of_machine(inner)
    return rows


def _aval(aval: Any) -> str:
    return f"{'~' if aval.weak_type else ''}{aval.dtype}{list(aval.shape)}"
