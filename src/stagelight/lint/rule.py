"""A rule: the events it listens to, and what it makes of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from stagelight.lint.values import NOWHERE, Origins
from stagelight.model.finding import Edit

if TYPE_CHECKING:
    from stagelight.lint.events import Event
    from stagelight.lint.machine import Machine


class Draft(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A finding before it has a file: the node it is about and the words for it."""

    node: ast.AST
    message: str
    hint: str
    origins: Origins = NOWHERE
    edits: tuple[Edit, ...] = ()


class Rule(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One rule, as the table lists it.

    Attributes:
        slug: the public name; file, documentation page and registry carry the same.
        events: the classes of events it listens to.
        find: from one such event to drafts of findings.
        is_for_tests: whether it speaks in test files too, where one-off compiles do no harm.
    """

    slug: str
    events: tuple[type[Event], ...]
    find: Callable[[Any, Machine], Iterable[Draft]]
    is_for_tests: bool = True
