"""Hold a program against its lock, or against another commit."""

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from stagelight.comparison.lock_difference import GROWTH, lock_changes
from stagelight.control.lock_making import Seen, seen_in
from stagelight.control.program_runs import is_ledger_argument, ledgers_of
from stagelight.errors import UsageError
from stagelight.model.lock import Lock
from stagelight.model.lock_change import LockChange, Verification

_GONE = frozenset({"specialization-removed", "cause-gone"})


def seen_now(arguments: Sequence[str], *, inside: Path | None = None) -> Seen:
    """Run programs, or read ledgers, and sum up what a lock holds.

    Args:
        arguments: Programs and ledgers.
        inside: Where programs run; this folder by default.
    """
    programs = tuple(argument for argument in arguments if not is_ledger_argument(argument))
    with tempfile.TemporaryDirectory(prefix="stagelight-") as folder:
        return seen_in(ledgers_of(arguments, Path(folder), inside=inside), programs)


def verification(
    locked: Lock, seen: Seen, against: str, *, is_strict: bool = False, growth: float = GROWTH
) -> Verification:
    """What differs, with the evidence that was seen.

    Args:
        locked: What is agreed.
        seen: What was seen now.
        against: What ``locked`` comes from, for people.
        is_strict: Whether a lock that holds more than was seen fails too.
        growth: Share of equations beyond which a growing program is told.
    """
    changes = [_with_evidence(change, seen, is_strict) for change in lock_changes(locked, seen.lock, growth=growth)]
    order = {"error": 0, "warning": 1, "note": 2}
    return Verification(
        changes=tuple(sorted(changes, key=lambda change: order[change.severity])),
        against=against,
        functions=len(seen.lock.functions),
        specializations=sum(len(function.specializations) for function in seen.lock.functions),
        counts_compared=locked.jax == seen.lock.jax,
        jax=seen.lock.jax,
        locked_jax=locked.jax,
    )


def _with_evidence(change: LockChange, seen: Seen, is_strict: bool) -> LockChange:
    file, line = seen.places.get(change.function, ("", 0))
    severity = "error" if is_strict and change.kind in _GONE else change.severity
    evidence = seen.evidence.get((change.function, change.subject), ())
    return msgspec.structs.replace(change, severity=severity, evidence=evidence, file=file, line=line)


@contextlib.contextmanager
def checked_out(reference: str) -> Iterator[Path]:
    """The working folder as another commit has it, beside this one.

    Raises:
        UsageError: This is no git checkout, or there is no such commit.
    """
    top = Path(_git("rev-parse", "--show-toplevel"))
    commit = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    with tempfile.TemporaryDirectory(prefix="stagelight-against-") as folder:
        tree = Path(folder) / "tree"
        _git("worktree", "add", "--detach", "--force", str(tree), commit)
        try:
            yield tree / Path.cwd().relative_to(top.resolve())
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _git(*arguments: str) -> str:
    try:
        outcome = subprocess.run(["git", *arguments], capture_output=True, text=True, errors="replace")
    except OSError as error:
        message = f"--against needs git: {error.strerror}"
        raise UsageError(message) from None
    if outcome.returncode:
        reason = outcome.stderr.strip() or f"there is no commit {arguments[-1].removesuffix('^{commit}')}"
        raise UsageError(f"git {arguments[0]}: {reason}")
    return outcome.stdout.strip()
