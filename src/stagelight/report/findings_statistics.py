"""How many findings each rule has."""

from collections import Counter
from collections.abc import Iterator

from stagelight.model.inspection import Inspection


def statistics_lines(inspection: Inspection) -> Iterator[str]:
    """Yield one line per rule that found something, the most frequent first; a star marks what ``--fix`` mends."""
    counts = Counter(item.finding.slug for item in inspection.findings)
    mendable = {item.finding.slug for item in inspection.findings if item.finding.edits}
    for slug, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"{count:>6}  {slug}{' [*]' if slug in mendable else ''}"
