"""What a learner did, as a chain of entries: each holds the hash of the one before it."""

import hashlib

import msgspec

FIRST = "0" * 64


class Began(msgspec.Struct, frozen=True, kw_only=True, tag="began", tag_field="event"):
    """A workspace was laid, or a journal came from another machine."""

    stagelight: str


class Predicted(msgspec.Struct, frozen=True, kw_only=True, tag="predicted", tag_field="event"):
    """All predictions of a lesson were committed: question and answer as JSON."""

    lesson: str
    lesson_digest: str
    answers: tuple[tuple[str, str], ...]


class Ran(msgspec.Struct, frozen=True, kw_only=True, tag="ran", tag_field="event"):
    """The lesson's program was run: question and observed value as JSON."""

    lesson: str
    lesson_digest: str
    source_digest: str
    observed: tuple[tuple[str, str], ...]


class Checked(msgspec.Struct, frozen=True, kw_only=True, tag="checked", tag_field="event"):
    """A repair was checked."""

    lesson: str
    lesson_digest: str
    exercise: str
    source_digest: str
    verdict: str


class Hinted(msgspec.Struct, frozen=True, kw_only=True, tag="hinted", tag_field="event"):
    """A hint was read; ``hint`` is its number, from 1."""

    lesson: str
    exercise: str
    hint: int


class GaveUp(msgspec.Struct, frozen=True, kw_only=True, tag="gave-up", tag_field="event"):
    """The solution was shown before the exercise passed."""

    lesson: str
    exercise: str


class CheckpointAnswered(msgspec.Struct, frozen=True, kw_only=True, tag="answered", tag_field="event"):
    """The checkpoint questions were answered: question and answer as JSON."""

    lesson: str
    lesson_digest: str
    answers: tuple[tuple[str, str], ...]


class WasReset(msgspec.Struct, frozen=True, kw_only=True, tag="reset", tag_field="event"):
    """A lesson begins anew, or one of its exercises if it is named."""

    lesson: str
    exercise: str = ""


class Received(msgspec.Struct, frozen=True, kw_only=True, tag="received", tag_field="event"):
    """A receipt was written."""

    lesson: str
    receipt_digest: str


type Deed = Began | Predicted | Ran | Checked | Hinted | GaveUp | CheckpointAnswered | WasReset | Received


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One link of the chain.

    Attributes:
        sequence: From 1.
        previous: Hash of the entry before, zeros for the first.
        at: When, as ISO text.
        deed: What was done.
        hash: Of everything above.
    """

    sequence: int
    previous: str
    at: str
    deed: Deed
    hash: str


def hash_of(sequence: int, previous: str, at: str, deed: Deed) -> str:
    """The hash that an entry with these parts must carry."""
    encoded = msgspec.json.encode([sequence, previous, at, deed], order="deterministic")
    return hashlib.sha256(encoded).hexdigest()
