"""What is observed of a value while tracing: its binding time, and what the four binding times do not tell apart."""

import enum

from stagelight.model.binding_time import BindingTime


class Label(enum.IntEnum):
    """Observed kind of a value; a later member is known later, or takes part in something that is."""

    CODE = -1
    """A function, class or module: not a value that is staged."""
    CONSTANT = 0
    CAPTURED = 1
    """An array from outside that becomes part of the program."""
    STATIC = 2
    METADATA = 3
    TREE = 4
    """A container or object with traced leaves."""
    DATA = 5


_TIME = {
    Label.CONSTANT: BindingTime.CONSTANT,
    Label.CAPTURED: BindingTime.CONSTANT,
    Label.STATIC: BindingTime.STATIC,
    Label.METADATA: BindingTime.METADATA,
    Label.TREE: BindingTime.DATA,
    Label.DATA: BindingTime.DATA,
}


def time_of(label: Label) -> BindingTime | None:
    """The binding time that a label stands for; None for code.

    >>> time_of(Label.TREE).value
    'data'
    """
    return _TIME.get(label)


def is_traced(label: Label) -> bool:
    """Whether the value is, or holds, a tracer."""
    return label >= Label.TREE


def joined(labels: "list[Label]") -> Label:
    """Label of a value that holds no tracer, computed from values with these labels.

    What is computed from traced values and yet is no tracer can only come from their avals or structure.

    >>> joined([Label.CONSTANT, Label.DATA]).name, joined([]).name
    ('METADATA', 'CONSTANT')
    """
    untraced = [Label.METADATA if is_traced(label) else label for label in labels]
    return max((label for label in untraced if label is not Label.CODE), default=Label.CONSTANT)
