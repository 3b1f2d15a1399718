"""One expression of an instrumented file, and what its evaluation means for names."""

import ast
import dataclasses
import enum


class Role(enum.StrEnum):
    """What the syntax around an expression asks of its value."""

    NONE = ""
    TRUTH = "truth"
    ITERATION = "iteration"


class Binding(enum.StrEnum):
    """How the value of an expression reaches a target."""

    WHOLE = "whole"
    ELEMENT = "element"
    COMPREHENSION = "comprehension"
    UPDATE = "update"


@dataclasses.dataclass(slots=True, eq=False)
class Expression:
    """An expression, by number, with the numbers of its parts.

    Attributes:
        number: Index among all expressions of the session.
        node: The node of the original syntax tree.
        children: Numbers of the parts whose values make this one's.
        name: The name loaded, the attribute read or the function called.
        owner: Number of the object whose method is called, where there is one.
        binds: Targets that receive the value.
        role: What is asked of the value.
        parent: Number of the expression that this one is a part of.
        shadows: Names that a comprehension binds for itself.
    """

    number: int
    node: ast.expr
    children: list[int]
    name: str = ""
    owner: int | None = None
    binds: tuple[tuple[ast.expr, Binding], ...] = ()
    role: Role = Role.NONE
    parent: int | None = None
    shadows: tuple[str, ...] = ()

    @property
    def position(self) -> tuple[int, int, int, int]:
        """Line, end line, column, end column, as code objects carry them."""
        node = self.node
        return (node.lineno, node.end_lineno or node.lineno, node.col_offset, node.end_col_offset or node.col_offset)
