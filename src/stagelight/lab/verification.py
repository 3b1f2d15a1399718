"""Verify a receipt: its hashes name the field that was changed, and its sources are run again, offline."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from stagelight.errors import LabError
from stagelight.lab.answers import agrees
from stagelight.lab.asking import Examiner
from stagelight.lab.course import course
from stagelight.lab.digests import exercise_digest, ledger_digest, record_digest, text_digest
from stagelight.lab.program_run import run_program
from stagelight.lab.receipts import RESULT_GAVE_UP, RESULT_PASSED, bytes_of, field_hashes, program_output
from stagelight.lab.requests import pieces_of, repair_request, source_of
from stagelight.lab.verdicts import PASSED, verdict_of
from stagelight.model.examination import Examination
from stagelight.model.journal import Entry
from stagelight.model.lesson import Lesson
from stagelight.model.receipt import RECEIPT_SCHEMA, Judged, Receipt, ReceiptFinding, Repaired, SealedReceipt


def receipt_from(encoded: bytes) -> tuple[SealedReceipt | None, tuple[ReceiptFinding, ...]]:
    """Read a receipt's bytes; every byte must be as it was written.

    Args:
        encoded: The file.

    Returns:
        The receipt if it can be read as one, and what is wrong with it.
    """
    try:
        table = json.loads(encoded)
    except (ValueError, RecursionError) as error:
        at = getattr(error, "pos", getattr(error, "start", 0))
        return None, (ReceiptFinding(field=f"byte {at + 1}", message=f"no JSON from here on: {error}"),)
    try:
        receipt = msgspec.convert(table, SealedReceipt, strict=True)
    except msgspec.ValidationError as error:
        return None, (ReceiptFinding(field=_field_of(str(error)), message=f"no receipt: {error}"),)
    return receipt, tuple(_seal_findings(receipt, table, encoded))


def _field_of(message: str) -> str:
    """The place that msgspec names, such as ``receipt.functions[0].traces``."""
    _, separator, place = message.partition("`$")
    return place.strip("`. ") if separator and place.strip("`. ") else "the file"


def _seal_findings(receipt: SealedReceipt, table: dict[str, Any], encoded: bytes) -> Iterator[ReceiptFinding]:
    actual = field_hashes(receipt.receipt)
    for name in sorted({*actual, *receipt.hashes}):
        if actual.get(name) != receipt.hashes.get(name):
            yield ReceiptFinding(field=name, message=_of_hash(name, receipt, actual))
    if receipt.digest != record_digest(receipt.hashes) and receipt.hashes == actual:
        yield ReceiptFinding(field="digest", message="the hash over all fields is not that of their hashes")
    written = bytes_of(receipt)
    if written != encoded:
        at = next((n for n, (a, b) in enumerate(zip(encoded, written, strict=False)) if a != b), len(written))
        line = encoded.count(b"\n", 0, at) + 1
        message = f"line {line} is not as a receipt is written{_extra_keys(table)}"
        yield ReceiptFinding(field=f"byte {at + 1}", message=message)


def _of_hash(name: str, receipt: SealedReceipt, actual: dict[str, str]) -> str:
    if receipt.digest == record_digest(actual):
        return f"the recorded hash of {name} was changed; the field itself is as it was"
    if name not in actual:
        return "there is a hash of a field that a receipt does not have"
    if name not in receipt.hashes:
        return "the field has no hash"
    return "the field was changed after the receipt was sealed: its hash is another one"


def _extra_keys(table: dict[str, Any]) -> str:
    known = set(Receipt.__struct_fields__)
    extra = sorted(set(table.get("receipt", {})) - known) + sorted(set(table) - {"receipt", "hashes", "digest"})
    return f": there is no field {', '.join(extra)}" if extra else ""


def rerun_findings(receipt: Receipt, examiner: Examiner) -> Iterator[ReceiptFinding]:
    """What is otherwise when everything in a receipt is run again here.

    Args:
        receipt: A receipt whose hashes hold.
        examiner: Runs its sources.
    """
    yield from _inner_findings(receipt)
    lesson = next((one for one in course() if one.name == receipt.lesson), None)
    if receipt.schema != RECEIPT_SCHEMA or lesson is None:
        what = f"schema {receipt.schema}" if receipt.schema != RECEIPT_SCHEMA else f"lesson {receipt.lesson!r}"
        yield ReceiptFinding(field="lesson", message=f"this Stagelight does not know {what}: nothing can be run again")
        return
    if receipt.lesson_digest != lesson.digest:
        message = f"the lesson's text is another one in this Stagelight; the receipt is of {receipt.lesson_digest[:12]}"
        yield ReceiptFinding(field="lesson_digest", message=message)
        return
    with tempfile.TemporaryDirectory(prefix="stagelight-verify-") as name:
        folder = Path(name)
        yield from _program_findings(receipt, lesson, run_program(lesson, folder, examiner))
        if [one.name for one in receipt.repairs] != [one.name for one in lesson.exercises]:
            yield ReceiptFinding(field="repairs", message="they are not the exercises of the lesson")
        for repair in receipt.repairs:
            yield from _repair_findings(repair, lesson, folder, examiner)


def _inner_findings(receipt: Receipt) -> Iterator[ReceiptFinding]:
    """Fields that follow from others of the same receipt."""
    if text_digest(receipt.source) != receipt.source_digest:
        yield ReceiptFinding(field="source_digest", message="it is not the hash of the source")
    if ledger_digest(receipt.functions) != receipt.ledger_digest:
        yield ReceiptFinding(field="ledger_digest", message="it is not the hash of what the ledger said")
    for name, questions in (("predictions", receipt.predictions), ("checkpoints", receipt.checkpoints)):
        for one in questions:
            if _agrees(one) != one.agrees:
                yield ReceiptFinding(field=name, message=f"{one.id} is not judged as its answer and key demand")
    gave_up = any(one.gave_up for one in receipt.repairs)
    if receipt.result != (RESULT_GAVE_UP if gave_up else RESULT_PASSED):
        yield ReceiptFinding(field="result", message=f"{receipt.result!r} does not follow from the repairs")


def _agrees(judged: Judged) -> bool:
    try:
        return agrees(judged.answer, judged.observed)
    except ValueError:
        return not judged.agrees  # no JSON: it was not judged by this program


def _program_findings(receipt: Receipt, lesson: Lesson, found: Examination) -> Iterator[ReceiptFinding]:
    if receipt.source != source_of(pieces_of(lesson)):
        yield ReceiptFinding(field="source", message="it is not the program of the lesson")
    if found.ending != "answered" or found.raised is not None:
        yield ReceiptFinding(field="source", message=f"the program does not run here: {found.output[-300:]}")
        return
    under = "" if found.surroundings.jax == receipt.surroundings.jax else (
        f" (JAX {receipt.surroundings.jax} then, {found.surroundings.jax} now)"
    )  # fmt: skip
    if program_output(found) != receipt.output and not under:
        yield ReceiptFinding(field="output", message="the program prints otherwise when it is run again")
    if ledger_digest(found.functions) != receipt.ledger_digest:
        yield ReceiptFinding(field="functions", message=f"the ledger says otherwise when it is run again{under}")
    keys = {one.id: one.value for one in found.answers}
    asked = {
        "predictions": ([one.id for one in lesson.predictions], receipt.predictions),
        "checkpoints": ([one.id for one in lesson.checkpoints], receipt.checkpoints),
    }
    for name, (wanted, judged) in asked.items():
        if [one.id for one in judged] != wanted:
            yield ReceiptFinding(field=name, message="they are not the questions of the lesson")
        for one in judged:
            if one.observed != keys.get(one.id, ""):
                message = f"{one.id} is observed as {keys.get(one.id)} when it is run again, not {one.observed}{under}"
                yield ReceiptFinding(field=name, message=message)


def _repair_findings(repair: Repaired, lesson: Lesson, folder: Path, examiner: Examiner) -> Iterator[ReceiptFinding]:
    exercise = next((one for one in lesson.exercises if one.name == repair.name), None)
    if exercise is None or exercise_digest(exercise) != repair.exercise_digest:
        yield ReceiptFinding(field="repairs", message=f"{repair.name} is not an exercise of the lesson as it is")
        return
    if text_digest(repair.source) != repair.source_digest:
        yield ReceiptFinding(field="repairs", message=f"the hash of {repair.name}'s source is another one")
    file = folder / f"{exercise.name}.py"
    found = examiner.examine(repair_request(lesson, exercise, repair.source, file))
    verdict = verdict_of(exercise, found, repair.source, file.name)
    if verdict.kind != PASSED or repair.verdict != PASSED:
        yield ReceiptFinding(field="repairs", message=f"{repair.name} is {verdict.kind} when it is checked again")


def journal_findings(receipt: Receipt, entries: tuple[Entry, ...]) -> Iterator[ReceiptFinding]:
    """Whether the journal of this machine, if it is the receipt's, holds the receipt's entries.

    Args:
        receipt: The receipt.
        entries: The journal.
    """
    hashes = [entry.hash for entry in entries]
    place = receipt.journal
    if place.last not in hashes:
        return
    order = [hashes.index(one) if one in hashes else -1 for one in (place.predicted, place.ran, place.last)]
    if -1 in order or order != sorted(order):
        yield ReceiptFinding(field="journal", message="the journal does not hold the prediction before the run")


def verified(encoded: bytes, examiner: Examiner | None, entries: tuple[Entry, ...] = ()) -> tuple[ReceiptFinding, ...]:
    """Everything that is wrong with a receipt.

    Args:
        encoded: The file.
        examiner: Runs its sources again; None to hold it against its hashes alone.
        entries: The journal of this machine.

    Raises:
        LabError: The examiner ended.
    """
    receipt, findings = receipt_from(encoded)
    if receipt is None or findings:
        return findings
    found = list(journal_findings(receipt.receipt, entries))
    if examiner is not None:
        found += rerun_findings(receipt.receipt, examiner)
    return tuple(found)


def read_receipt_file(path: Path) -> bytes:
    """The bytes of a receipt.

    Raises:
        LabError: The file cannot be read, or is far too large.
    """
    try:
        encoded = path.read_bytes()
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise LabError(message) from None
    if len(encoded) > 5_000_000:
        message = f"{path} is no receipt: it is larger than 5 MB"
        raise LabError(message)
    return encoded
