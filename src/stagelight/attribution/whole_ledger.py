"""Everything concluded from the entries of one process at once."""

from collections.abc import Iterable

from stagelight.attribution.attributor import Attributor, Conclusion
from stagelight.attribution.limits import Limits
from stagelight.model.attribution import Advisory, Attributions, FailureFound, Miss
from stagelight.model.event import Event
from stagelight.model.ledger import JaxSeen


def attributions(entries: Iterable[Event | JaxSeen], *, process: int = 0, limits: Limits | None = None) -> Attributions:
    """Attribute a whole ledger.

    Args:
        entries: The entries of one process, in order.
        process: Index of the ledger, put on each miss.
        limits: Limits of the advisories.

    Returns:
        Every miss, advisory and failure, with totals and tables. For long ledgers feed an ``Attributor`` instead: it
        keeps no list of misses.
    """
    attributor = Attributor(process=process, limits=limits)
    found: list[Conclusion] = []
    for entry in entries:
        found += attributor.feed(entry)
    found += attributor.finish()
    totals = attributor.totals()
    return Attributions(
        misses=tuple(item for item in found if isinstance(item, Miss)),
        advisories=tuple(item for item in found if isinstance(item, Advisory)),
        failures=tuple(item for item in found if isinstance(item, FailureFound)),
        totals=totals,
        tables=tuple(
            attributor.specializations(total.function.number)
            for total in totals
            if total.specializations > 1 and total.function.number
        ),
    )
