"""Which misses a reader asked for."""

import fnmatch

import msgspec

from stagelight.model.attribution import EXPECTED_CAUSES, Cause, Miss
from stagelight.model.function import Function
from stagelight.report.account import CauseGroup


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What to show.

    Attributes:
        functions: Names or qualified names, with ``*`` as wildcard; none means all.
        causes: Slugs; none means all.
        files: File names or ends of paths, with ``*`` as wildcard; none means all.
        everything: Expected misses and library functions too.
    """

    functions: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    everything: bool = False

    @property
    def is_narrow(self) -> bool:
        """Whether anything was asked for by name."""
        return bool(self.functions or self.causes or self.files)

    def takes_named(self, function: Function) -> bool:
        """Whether the names that were asked for, if any, include a function."""
        if self.functions and not any(_names(pattern, function) for pattern in self.functions):
            return False
        return not self.files or any(_is_in(pattern, function.file) for pattern in self.files)

    def takes_function(self, function: Function) -> bool:
        """Whether a view shows a function: named ones, else the user's own."""
        named = bool(self.functions or self.files)
        return self.takes_named(function) and (function.own or self.everything or named)

    def takes_causes(self, causes: tuple[Cause, ...]) -> bool:
        """Whether causes were asked for, expected ones among them."""
        return not self.causes or any(cause.slug in self.causes for cause in causes)

    def takes_group(self, group: CauseGroup) -> bool:
        """Whether a group was asked for; without a name, those that are not expected are."""
        if not self.takes_causes(group.causes):
            return False
        return self.everything or bool(self.causes) or is_worth_saying(group)

    def takes_miss(self, miss: Miss) -> bool:
        """Whether a machine that reads everything gets this miss: names filter, nothing is folded."""
        return self.takes_named(miss.function) and self.takes_causes(miss.causes)

    def takes_note(self, function: Function, slug: str) -> bool:
        """Whether an advisory or failure was asked for."""
        return self.takes_named(function) and (not self.causes or slug in self.causes)


def is_worth_saying(group: CauseGroup) -> bool:
    """Whether a group is avoidable, or a slow dispatch that has a reason of its own."""
    return group.avoidable or (
        group.ledger == "dispatch" and any(cause.slug not in EXPECTED_CAUSES for cause in group.causes)
    )


def _names(pattern: str, function: Function) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for name in (function.name, function.qualname))


def _is_in(pattern: str, file: str) -> bool:
    return fnmatch.fnmatchcase(file, pattern) or fnmatch.fnmatchcase(file, f"*/{pattern}")
