"""Two calls held against each other: which arguments they pass, and how."""

import msgspec

from stagelight.attribution.key import Key
from stagelight.model.structure import Structure

BY_POSITION = "by position"
BY_KEYWORD = "by keyword"
DEFAULT = "left to its default"


class PassingChange(msgspec.Struct, frozen=True, kw_only=True):
    """One argument that is passed another way; ``path`` is its name, empty where it is not known."""

    path: str
    before: str
    after: str


class ConventionChanges(msgspec.Struct, frozen=True, kw_only=True):
    """How two calls differ in what they pass.

    Attributes:
        passing: Arguments that are passed another way, or not at all because of a default.
        counts: How many arguments, before and after, where the number of ``*args`` or ``**kwargs`` differs.
        keyword_names: Other names among ``**kwargs``: their parameter, the names before and after.
    """

    passing: tuple[PassingChange, ...] = ()
    counts: tuple[int, int] | None = None
    keyword_names: tuple[str, str, str] | None = None


NO_CHANGES = ConventionChanges()


def convention_changes(
    before: Key, after: Key, old: Structure, new: Structure, parameters: tuple[str, ...]
) -> ConventionChanges:
    """How two calls differ in what they pass.

    Args:
        before: The earlier key.
        after: This key.
        old: Structure of the earlier call.
        new: Structure of this call.
        parameters: Names of the function's parameters, to tell a default from one more of ``*args``.
    """
    old_names, new_names = names_passed(before, old), names_passed(after, new)
    same_form = (before.positional, before.keywords) == (after.positional, after.keywords)
    if same_form and old_names.keys() == new_names.keys():
        return NO_CHANGES
    declared = set(parameters)
    gone = [name for name in old_names if name not in new_names]
    come = [name for name in new_names if name not in old_names]
    passing = [
        PassingChange(path=name, before=old_names[name], after=new_names[name])
        for name in new_names
        if name in old_names and old_names[name] != new_names[name]
    ]
    passing += [PassingChange(path=n, before=DEFAULT, after=f"passed {new_names[n]}") for n in come if n in declared]
    passing += [PassingChange(path=n, before=f"passed {old_names[n]}", after=DEFAULT) for n in gone if n in declared]
    more = [name for name in come if name not in declared]
    fewer = [name for name in gone if name not in declared]
    return settled(before, after, tuple(passing), fewer, more)


def settled(
    before: Key, after: Key, passing: tuple[PassingChange, ...], fewer: list[str], more: list[str]
) -> ConventionChanges:
    """Tell another count from other names, and never let a difference go without a word."""
    if len(fewer) != len(more):
        return ConventionChanges(passing=passing, counts=(count(before), count(after)))
    if more:
        names = (more[0].partition("[")[0], ", ".join(fewer), ", ".join(more))
        return ConventionChanges(passing=passing, keyword_names=names)
    if not passing and count(before) != count(after):
        return ConventionChanges(counts=(count(before), count(after)))
    if not passing and (before.positional, before.keywords) != (after.positional, after.keywords):
        passing = (PassingChange(path="", before=form(before), after=form(after)),)
    return ConventionChanges(passing=passing)


def names_passed(key: Key, structure: Structure) -> dict[str, str]:
    """Name of each argument that was passed, with how."""
    keywords = set(key.keywords)
    names = [name for name, _ in structure.arguments] + [name for name, _ in key.static]
    return {name: BY_KEYWORD if name in keywords else BY_POSITION for name in names}


def count(key: Key) -> int:
    """Number of arguments, static ones included."""
    return key.positional + len(key.keywords)


def form(key: Key) -> str:
    """How a call passes its arguments, without names."""
    named = f" and {', '.join(key.keywords)} by keyword" if key.keywords else ""
    return f"{key.positional} by position{named}"
