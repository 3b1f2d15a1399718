"""Say each avoidable miss when it happens: a program that runs for days cannot wait for its end."""

import os
import sys
import time
from typing import TextIO

from stagelight.attribution.attributor import Attributor
from stagelight.model.attribution import EXPECTED_CAUSES, Cause, Miss
from stagelight.model.event import Event
from stagelight.model.ledger import JaxSeen
from stagelight.model.site import Site

MOST_LINES = 10
IN_SECONDS = 10.0
_VERBS = {"trace": "traced again", "compile": "compiled again"}


class LiveLines:
    """Reads entries as they are written and prints a line for each avoidable trace or compile.

    At most ten lines in ten seconds; what was held back is counted in the next line.

    Args:
        stream: Where to print; standard error as it is when a line is printed, if left out.
    """

    def __init__(self, stream: TextIO | None = None):
        self._attributor = Attributor()
        self._stream = stream
        self._printed: list[float] = []
        self._held_back = 0

    def read(self, entry: Event | JaxSeen) -> None:
        """Take in the next entry."""
        for conclusion in self._attributor.feed(entry):
            if isinstance(conclusion, Miss) and conclusion.avoidable and conclusion.function.own:
                self._say(conclusion)

    def _say(self, miss: Miss) -> None:
        if miss.ledger not in _VERBS:
            return
        now = time.monotonic()
        self._printed = [t for t in self._printed if now - t < IN_SECONDS]
        if len(self._printed) >= MOST_LINES:
            self._held_back += 1
            return
        self._printed.append(now)
        more = f" (and {self._held_back} more since the last line)" if self._held_back else ""
        self._held_back = 0
        print(line_of(miss) + more, file=self._stream or sys.stderr, flush=True)


def line_of(miss: Miss) -> str:
    """One line for one miss: cause, path, before and after, call site, seconds."""
    told = "; ".join(_told(c) for c in miss.causes if c.slug not in EXPECTED_CAUSES)
    what = f"{miss.function.name} {_VERBS[miss.ledger]}"
    return visible(f"stagelight: {what}: {told}  from {_place(miss.call)}  ({miss.seconds:.2f} s)")


def _told(cause: Cause) -> str:
    change = f" {cause.before} → {cause.after}" if cause.before or cause.after else ""
    path = f" {cause.path}" if cause.path else ""
    return f"{cause.slug}{path}{change}"


def _place(site: Site) -> str:
    return f"{os.path.basename(site.file)}:{site.line}"


def visible(text: str) -> str:
    """A text whose control characters can neither move the cursor nor colour the terminal."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
