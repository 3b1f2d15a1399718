"""Misses gathered by function, ledger and causes, in constant time and bounded memory each."""

from collections import Counter

from stagelight.model.attribution import Miss
from stagelight.model.event import PersistentCacheUse
from stagelight.model.site import Site
from stagelight.report.account import CauseGroup, Example

EXAMPLES = 8
SITES = 50
OUTCOMES = 12
# Beyond this many groups of one function the rest share one, so that a hostile ledger cannot fill the memory.
GROUPS = 1000


class GrowingGroup:
    """One :class:`CauseGroup` while misses still arrive."""

    __slots__ = (
        "compiles",
        "examples",
        "failed",
        "first",
        "misses",
        "other_examples",
        "other_sites",
        "persistent",
        "seconds",
        "sites",
    )

    def __init__(self, first: Miss) -> None:
        self.first = first
        self.misses = 0
        self.seconds = 0.0
        self.compiles = 0
        self.failed = 0
        self.examples: dict[tuple[tuple[str, str], ...], Example] = {}
        self.other_examples = 0
        self.sites: Counter[Site] = Counter()
        self.other_sites = 0
        self.persistent: dict[str, int] = {}

    def add(self, miss: Miss) -> None:
        """Count one miss, and keep it as an example if its evidence is new."""
        self.misses += 1
        self.seconds += miss.seconds
        self.failed += miss.failed
        if miss.call in self.sites or len(self.sites) < SITES:
            self.sites[miss.call] += 1
        else:
            self.other_sites += 1
        if miss.persistent is not None:
            self._count_cache(miss.persistent)
        evidence = tuple([(cause.before, cause.after) for cause in miss.causes])
        if evidence in self.examples:
            return
        if len(self.examples) < EXAMPLES:
            self.examples[evidence] = Example(
                causes=miss.causes, seconds=miss.seconds, call=miss.call, under=miss.under
            )
        else:
            self.other_examples += 1

    def add_compile(self, miss: Miss) -> None:
        """Count a compile that followed from a trace of this group."""
        self.compiles += 1
        self.seconds += miss.seconds
        if miss.persistent is not None:
            self._count_cache(miss.persistent)

    def _count_cache(self, use: PersistentCacheUse) -> None:
        text = f"{use.outcome} ({use.reason})" if use.reason else use.outcome
        if text in self.persistent or len(self.persistent) < OUTCOMES:
            self.persistent[text] = self.persistent.get(text, 0) + 1

    def group(self) -> CauseGroup:
        """The group as it stands."""
        return CauseGroup(
            ledger=self.first.ledger,
            causes=self.first.causes,
            misses=self.misses,
            seconds=self.seconds,
            compiles=self.compiles,
            avoidable=self.first.avoidable,
            failed=self.failed,
            examples=tuple(self.examples.values()),
            examples_folded=self.other_examples,
            sites=tuple(self.sites.most_common()),
            sites_folded=self.other_sites,
            persistent=tuple(self.persistent.items()) if self.persistent.keys() - {"off"} else (),
        )


class Groups:
    """The groups of one function."""

    def __init__(self) -> None:
        self.by_cause: dict[object, GrowingGroup] = {}

    def add(self, miss: Miss) -> GrowingGroup:
        """Put a miss into its group, and return that."""
        causes = miss.causes
        signature: object = (
            (miss.ledger, causes[0].slug, causes[0].path)
            if len(causes) == 1
            else (miss.ledger, *[(cause.slug, cause.path) for cause in causes])
        )
        group = self.by_cause.get(signature)
        if group is None:
            if len(self.by_cause) >= GROUPS:
                group = self.by_cause.get((miss.ledger, miss.avoidable))
                signature = (miss.ledger, miss.avoidable)
            if group is None:
                group = self.by_cause[signature] = GrowingGroup(miss)
        group.add(miss)
        return group

    def groups(self) -> tuple[CauseGroup, ...]:
        """All groups, avoidable ones first, the costliest first."""
        groups = [growing.group() for growing in self.by_cause.values()]
        return tuple(sorted(groups, key=lambda g: (not g.avoidable, g.ledger == "dispatch", -g.seconds)))
