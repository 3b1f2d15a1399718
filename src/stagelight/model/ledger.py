"""The ledger: a header, then one event a line, as JSON Lines.

Schema history: 1, the first.
"""

from collections.abc import Iterable, Iterator

import msgspec

from stagelight.errors import StagelightError
from stagelight.model.event import Event

SCHEMA = 1


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """First line of a ledger.

    Attributes:
        schema: Version of the format; always written, so that a reader of any age can tell.
        stagelight: Version of Stagelight that wrote it.
        jax: Version of JAX, empty where JAX was never imported.
        jaxlib: Version of jaxlib.
        python: Version of Python.
        platform: Operating system and processor.
        host: Name of the host.
        process: Process id.
        parent_process: Id of the process that started it.
        started: Wall time at the start, ISO 8601 with offset.
        program: The command line that was watched, program first.
        folder: Working directory at the start; views show paths relative to it.
        own: Packages named as the user's own.
        redacted: Whether values were kept out.
        calls: Whether calls were counted.
        programs: The folder in which compiled programs are kept, as it was named; empty where they are not.
        capabilities: What could be recorded here and why not: name → ``on`` or the reason.
    """

    schema: int
    stagelight: str
    jax: str = ""
    jaxlib: str = ""
    python: str = ""
    platform: str = ""
    host: str = ""
    process: int = 0
    parent_process: int = 0
    started: str = ""
    program: tuple[str, ...] = ()
    folder: str = ""
    own: tuple[str, ...] = ()
    redacted: bool = False
    calls: bool = False
    programs: str = ""
    capabilities: tuple[tuple[str, str], ...] = ()


class JaxSeen(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="jax", tag_field="event"):
    """JAX finished importing; written once, after the header, since the header is older than the import.

    Attributes:
        jax: Version of JAX.
        jaxlib: Version of jaxlib.
        capabilities: As in ``Header``.
        cache_folder: The persistent cache's folder, empty where it is off.
    """

    jax: str
    jaxlib: str = ""
    capabilities: tuple[tuple[str, str], ...] = ()
    cache_folder: str = ""


class LedgerError(StagelightError):
    """A file that is not a readable ledger."""


ENCODER = msgspec.json.Encoder()
_HEADERS = msgspec.json.Decoder(Header)
_ENTRIES = msgspec.json.Decoder(Event | JaxSeen)


def header_from_line(line: bytes, origin: str) -> Header:
    """Decode the first line.

    Args:
        line: The line.
        origin: Where it is from, for messages.

    Raises:
        LedgerError: It is no header, or one of a newer schema.
    """
    try:
        header = _HEADERS.decode(line)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        message = f"{origin} is not a Stagelight ledger: its first line is not a header ({error})"
        raise LedgerError(message) from None
    if header.schema > SCHEMA:
        message = (
            f"{origin} has schema {header.schema}, this Stagelight reads up to {SCHEMA}: "
            f"read it with Stagelight {header.stagelight} or newer"
        )
        raise LedgerError(message)
    return header


def entries_from_lines(lines: Iterable[bytes], origin: str) -> Iterator[Event | JaxSeen]:
    """Decode the lines after the header, reading over a torn last line.

    An entry of a kind that this version does not know is read over too; any other broken line is an error.

    Raises:
        LedgerError: A line in the middle is broken.
    """
    decode = _ENTRIES.decode
    torn: tuple[int, str] | None = None
    for number, line in enumerate(lines, start=2):
        if torn is not None:
            message = f"{origin} is broken at line {torn[0]}: {torn[1]}"
            raise LedgerError(message)
        try:
            yield decode(line)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
            if not line.strip() or ("Invalid value" in str(error) and "$.event" in str(error)):
                continue
            torn = (number, str(error))
