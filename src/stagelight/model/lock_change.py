"""What differs between a lock and what was seen."""

from typing import Literal

import msgspec

from stagelight.model.lock import KeyPart

type ChangeKind = Literal[
    "specialization-added", "specialization-removed", "cause-added", "cause-gone", "count-changed", "program-grew",
    "program-changed",
]  # fmt: skip
type Severity = Literal["error", "warning", "note"]


class PartChange(msgspec.Struct, frozen=True, array_like=True):
    """One part of a key, in the nearest locked specialization and now."""

    name: str
    before: str
    after: str


class LockChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One difference.

    Attributes:
        kind: What differs.
        severity: Whether it fails a check.
        function: Name of the function in the lock.
        key: The specialization, for changes of one.
        parts: In what an added specialization differs from the nearest locked one; empty where there is none.
        subject: The cause's slug, or what was counted.
        before: Count or text in the lock.
        after: Count or text now.
        evidence: What a cause says of it: path, before and after, with the line of the call.
        file: Where the function is defined now; empty where it is gone.
        line: First line of its definition.
    """

    kind: ChangeKind
    severity: Severity
    function: str
    key: tuple[KeyPart, ...] = ()
    parts: tuple[PartChange, ...] = ()
    subject: str = ""
    before: str = ""
    after: str = ""
    evidence: tuple[str, ...] = ()
    file: str = ""
    line: int = 0


class Verification(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A lock held against what was seen.

    Attributes:
        changes: Errors first, then warnings, then notes; by function.
        against: What it was held against: the lock's path, or a commit.
        functions: How many functions were held against each other.
        specializations: How many specializations were seen.
        counts_compared: Whether equation counts were compared: only under the JAX that the lock names.
        jax: The JAX of now.
        locked_jax: The JAX of the lock.
    """

    changes: tuple[LockChange, ...]
    against: str
    functions: int = 0
    specializations: int = 0
    counts_compared: bool = True
    jax: str = ""
    locked_jax: str = ""
