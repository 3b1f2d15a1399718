"""What a guard forbids: which misses, whose, in which threads, and how many are free."""

import fnmatch
import threading
from collections.abc import Iterable
from typing import Literal

import msgspec

from stagelight.attribution.registry import CAUSES
from stagelight.errors import UsageError
from stagelight.model.attribution import EXPECTED_CAUSES, LedgerName, Miss

type First = Literal["allow", "forbid"]
type Whose = Literal["own", "all"]
type Threads = Literal["this", "all"]
type Action = Literal["raise", "warn", "log"]

CAUSE_SLUGS = tuple(rule.page.slug for rule in CAUSES)
MADE_ANEW = frozenset({"function-recreated", "closure-value-changed", "method-owner-changed"})
_CHOICES = {
    "first": ("allow", "forbid"),
    "functions": ("own", "all"),
    "threads": ("this", "all"),
    "action": ("raise", "warn", "log"),
}


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a guard, checked.

    Attributes:
        first: Whether expected misses (a first trace, a first compile) are forbidden too.
        functions: The user's own functions, or all, eager operations included.
        threads: The thread that made the guard, or all.
        traces: Forbidden traces that are let through before the guard acts.
        compiles: The same for compiles.
        dispatches: The same for calls that left the fast path; ``None``: they are not looked at.
        action: What the guard does.
        only: Patterns of function names; where given, they say alone whose misses count.
        allow: Causes that are let through.
        causes: Where given, only these causes are forbidden.
        after: From which call of a function on misses are forbidden; 0 from the first.
        thread: The thread that ``threads="this"`` means.
        forgive_made_anew: Whether a function object made anew counts as a first trace, unless an earlier object of the
            same code was traced while the guard was on.
    """

    first: First = "allow"
    functions: Whose = "own"
    threads: Threads = "this"
    traces: int | None = 0
    compiles: int | None = 0
    dispatches: int | None = None
    action: Action = "raise"
    only: tuple[str, ...] = ()
    allow: frozenset[str] = frozenset()
    causes: frozenset[str] = frozenset()
    after: int = 0
    thread: int = 0
    forgive_made_anew: bool = False

    def limit(self, ledger: LedgerName) -> int | None:
        """How many misses of a ledger are free; ``None``: all."""
        return {"trace": self.traces, "compile": self.compiles, "dispatch": self.dispatches}[ledger]

    def forbids(self, miss: Miss, *, is_known: bool = True) -> bool:
        """Whether a miss is one that the guard counts.

        Args:
            miss: The miss.
            is_known: Whether its function was traced while the guard was on.
        """
        if self.limit(miss.ledger) is None or (self.threads == "this" and miss.thread != self.thread):
            return False
        if self.forgive_made_anew and not is_known and any(cause.slug in MADE_ANEW for cause in miss.causes):
            return False
        return self._is_about(miss) and self._is_forbidden_cause(miss)

    def _is_about(self, miss: Miss) -> bool:
        if self.only:
            return is_named(self.only, miss)
        return self.functions == "all" or miss.function.own

    def _is_forbidden_cause(self, miss: Miss) -> bool:
        slugs = {cause.slug for cause in miss.causes}
        if self.causes:
            return not self.causes.isdisjoint(slugs)
        if self.first == "allow":
            slugs -= EXPECTED_CAUSES
        return not slugs <= self.allow


def is_named(patterns: Iterable[str], miss: Miss) -> bool:
    """Whether a pattern matches the function's plain or qualified name."""
    function = miss.function
    return any(fnmatch.fnmatchcase(name, p) for p in patterns for name in (function.name, function.qualname))


def policy(
    *,
    first: str = "allow",
    functions: str = "own",
    threads: str = "this",
    traces: int | None = 0,
    compiles: int | None = 0,
    dispatches: int | None = None,
    action: str = "raise",
    only: str | Iterable[str] = (),
    allow: str | Iterable[str] = (),
    causes: str | Iterable[str] = (),
    after: int = 0,
    forgive_made_anew: bool = False,
) -> Policy:
    """Check the options of a guard, as ``no_retrace`` documents them.

    Raises:
        UsageError: An option has a value that it cannot have.
    """
    given = {"first": first, "functions": functions, "threads": threads, "action": action}
    for name, value in given.items():
        if value not in _CHOICES[name]:
            message = f"{name}={value!r}: choose one of {', '.join(map(repr, _CHOICES[name]))}"
            raise UsageError(message)
    for name, count in (("traces", traces), ("compiles", compiles), ("dispatches", dispatches), ("after", after)):
        check_count(name, count, may_be_none=name != "after")
    return Policy(
        first=first, functions=functions, threads=threads, action=action, traces=traces, compiles=compiles,
        dispatches=dispatches, only=texts(only), allow=slugs_from("allow", allow), causes=slugs_from("causes", causes),
        after=after, thread=threading.get_ident(), forgive_made_anew=forgive_made_anew,
    )  # fmt: skip


def check_count(name: str, count: object, *, may_be_none: bool = False) -> None:
    """Refuse what is not a count.

    Raises:
        UsageError: It is none.
    """
    if (count is None and may_be_none) or (type(count) is int and count >= 0):
        return
    message = f"{name}={count!r}: give a count, 0 or more{', or None not to look at them' if may_be_none else ''}"
    raise UsageError(message)


def texts(given: str | Iterable[str]) -> tuple[str, ...]:
    """One text or several, as a tuple; a text may hold several, between commas."""
    found = given.split(",") if isinstance(given, str) else list(given)
    return tuple(text.strip() for text in found if text.strip())


def slugs_from(name: str, given: str | Iterable[str]) -> frozenset[str]:
    """Slugs of causes, each checked against the catalogue.

    Raises:
        UsageError: One is not in the catalogue.
    """
    slugs = texts(given)
    for slug in slugs:
        if slug not in CAUSE_SLUGS:
            near = [known for known in CAUSE_SLUGS if slug.split("-")[0] in known]
            message = f"{name}: there is no cause {slug!r}. {'Did you mean ' + near[0] + '?' if near else ''}".rstrip()
            raise UsageError(f"{message} The causes are: {', '.join(CAUSE_SLUGS)}")
    return frozenset(slugs)
