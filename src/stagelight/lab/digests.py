"""Hashes of texts and of records, the same on every machine."""

import hashlib
from collections.abc import Sequence

import msgspec

from stagelight.model.examination import FunctionCounts
from stagelight.model.lesson import Exercise


def text_digest(text: str) -> str:
    """Hash of a text.

    >>> text_digest("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def record_digest(record: object) -> str:
    """Hash of a record: of its JSON with sorted keys and no spaces."""
    return hashlib.sha256(msgspec.json.encode(record, order="sorted")).hexdigest()


def ledger_digest(functions: Sequence[FunctionCounts]) -> str:
    """Hash of what a ledger says of some functions: counts and causes with their evidence, no times, no paths."""
    told = [
        (
            one.name, one.traces, one.compiles, one.calls, one.traced_calls,
            [[(cause.slug, cause.path, cause.before, cause.after) for cause in causes] for causes in one.causes],
        )
        for one in functions
    ]  # fmt: skip
    return record_digest(told)


def exercise_digest(exercise: Exercise) -> str:
    """Hash of an exercise, wherever it stands in its file."""
    mutants = tuple(msgspec.structs.replace(mutant, line=0) for mutant in exercise.mutants)
    return record_digest(msgspec.structs.replace(exercise, line=0, mutants=mutants))
