"""Names by which findings are known again when lines move."""

import hashlib
from collections import Counter
from collections.abc import Iterable

from stagelight.model.finding import Finding
from stagelight.model.inspection import Fingerprinted

_DIGEST_BYTES = 8


def fingerprinted(findings: Iterable[Finding]) -> tuple[Fingerprinted, ...]:
    """Return findings with their fingerprints, in order of file and place.

    A fingerprint holds the rule, the file, the function and the expression; equal ones are counted from the top. Lines
    are left out, so that code above can change.
    """
    ordered = sorted(findings, key=lambda f: (f.file, f.span, f.slug))
    seen: Counter[tuple[str, ...]] = Counter()
    result: list[Fingerprinted] = []
    for finding in ordered:
        key = (finding.slug, finding.file, finding.function, finding.expression)
        seen[key] += 1
        text = "\0".join((*key, str(seen[key])))
        digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
        result.append(Fingerprinted(finding=finding, fingerprint=digest))
    return tuple(result)
