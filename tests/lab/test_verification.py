"""A receipt is verified where it was made and elsewhere; a change anywhere is rejected, and named."""

import json
import random

import msgspec
import pytest
from lab.lessons_for_tests import first_lesson, go_through, laid_study, right_answers

from stagelight.errors import LabError
from stagelight.lab.checking import commit_predictions
from stagelight.lab.digests import record_digest
from stagelight.lab.luggage import packed, unpacked
from stagelight.lab.receipts import bytes_of, kept_receipts, sealed, write_receipt
from stagelight.lab.study import Study
from stagelight.lab.verification import receipt_from, verified
from stagelight.model.receipt import Receipt, SealedReceipt


@pytest.fixture(scope="module")
def made(examiner, tmp_path_factory):
    """A finished lesson 1: its study, and the receipt's bytes."""
    folder = tmp_path_factory.mktemp("made")
    lesson = first_lesson()
    with pytest.MonkeyPatch.context() as patch:
        study = laid_study(folder, patch)
        go_through(study, lesson, examiner, {**right_answers(lesson, examiner, folder), "lines": "2"})
        path = write_receipt(study, lesson, examiner, "Tracing happens once for each key.")
        yield study, path.read_bytes()


@pytest.fixture
def encoded(made) -> bytes:
    return made[1]


@pytest.fixture
def receipt(encoded) -> Receipt:
    return msgspec.json.decode(encoded, type=SealedReceipt).receipt


def fields_of(findings) -> list[str]:
    return [finding.field for finding in findings]


def test_it_says_what_was_done(receipt):
    assert (receipt.lesson, receipt.result, receipt.explanation) == (
        "tracing-is-not-running",
        "passed",
        "Tracing happens once for each key.",
    )
    assert [(one.id, one.agrees) for one in receipt.predictions][:2] == [("lines", False), ("traces", True)]
    assert "14.0 29.0" in receipt.output
    assert receipt.functions[0].traces == 1
    assert {one.verdict for one in receipt.repairs} == {"passed"}
    assert receipt.surroundings.backend == "cpu"


def test_it_is_verified_by_running_it_again(made, encoded, examiner):
    study, _ = made
    assert verified(encoded, examiner, study.journal.entries) == ()
    assert verified(encoded, examiner) == ()


def test_a_changed_byte_anywhere_is_rejected(encoded):
    places = random.Random(7).sample(range(len(encoded)), 400)
    for place in [0, len(encoded) - 1, *places]:
        for bit in (1, 32):
            changed = bytearray(encoded)
            changed[place] ^= bit
            findings = receipt_from(bytes(changed))[1]
            assert findings, f"byte {place} of {len(encoded)}"
            assert all(finding.field and finding.message for finding in findings)


def test_a_byte_more_or_less_is_rejected(encoded):
    for changed in (encoded + b" ", encoded[:-1], encoded.replace(b"\n", b"\r\n", 1), b"", b"[]", b"{}"):
        assert receipt_from(changed)[1]


@pytest.mark.parametrize("field", Receipt.__struct_fields__)
def test_the_changed_field_is_named(encoded, field):
    table = json.loads(encoded)
    value = table["receipt"][field]
    table["receipt"][field] = _other(value)
    changed = json.dumps(table, indent=1, sort_keys=True).encode() + b"\n"
    findings = verified(changed, None)
    assert field in fields_of(findings)[0]


def _other(value):
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return value[:-1]
    return {key: _other(inner) for key, inner in value.items()}


def test_a_changed_hash_is_told_from_a_changed_field(encoded):
    table = json.loads(encoded)
    table["hashes"]["source"] = "0" * 64
    changed = json.dumps(table, indent=1, sort_keys=True).encode() + b"\n"
    (finding,) = receipt_from(changed)[1]
    assert (finding.field, "the field itself is as it was" in finding.message) == ("source", True)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"output": "forged\n"}, "output"),
        ({"source": "print(1)\n"}, "source_digest"),
        ({"result": "passed with honours"}, "result"),
        ({"ledger_digest": "0" * 64}, "ledger_digest"),
        ({"functions": ()}, "ledger_digest"),
        ({"repairs": ()}, "repairs"),
        ({"checkpoints": ()}, "checkpoints"),
        ({"lesson": "no-such-lesson"}, "lesson"),
        ({"lesson_digest": "0" * 64}, "lesson_digest"),
        ({"schema": 99}, "lesson"),
    ],
)
def test_a_receipt_that_was_sealed_again_fails_when_it_is_run(receipt, examiner, changes, field):
    forged = bytes_of(sealed(msgspec.structs.replace(receipt, **changes)))
    assert receipt_from(forged)[1] == ()
    assert field in fields_of(verified(forged, examiner))


def test_forged_judgements_and_repairs_fail_when_they_are_run(receipt, examiner):
    replace = msgspec.structs.replace
    wrong = replace(receipt.predictions[0], agrees=True)
    forged = replace(receipt, predictions=(wrong, *receipt.predictions[1:]))
    assert fields_of(verified(bytes_of(sealed(forged)), examiner)) == ["predictions"]
    other_key = replace(receipt.predictions[0], observed="2", agrees=True)
    forged = replace(receipt, predictions=(other_key, *receipt.predictions[1:]))
    assert fields_of(verified(bytes_of(sealed(forged)), examiner)) == ["predictions"]
    starter = replace(receipt.repairs[0], source=first_lesson().exercises[0].starter)
    forged = replace(receipt, repairs=(starter, *receipt.repairs[1:]))
    assert fields_of(verified(bytes_of(sealed(forged)), examiner)) == ["repairs", "repairs"]


def test_the_journal_must_hold_the_prediction_before_the_run(made, receipt):
    study, _ = made
    place = msgspec.structs.replace(receipt.journal, predicted=receipt.journal.ran, ran=receipt.journal.predicted)
    forged = bytes_of(sealed(msgspec.structs.replace(receipt, journal=place)))
    assert fields_of(verified(forged, None, study.journal.entries)) == ["journal"]


def test_hashes_are_over_canonical_json(receipt):
    assert record_digest(receipt.functions) == record_digest(
        msgspec.json.decode(msgspec.json.encode(receipt.functions))
    )


def test_no_receipt_before_the_lesson_is_finished(examiner, tmp_path, monkeypatch):
    study = laid_study(tmp_path, monkeypatch)
    lesson = first_lesson()
    with pytest.raises(LabError, match="is not finished: next is predict"):
        write_receipt(study, lesson, examiner, "")
    commit_predictions(study, lesson, {"lines": "1", "traces": "1", "second": "29", "shape-time": "data"})
    with pytest.raises(LabError, match="next is run"):
        write_receipt(study, lesson, examiner, "")


def test_export_and_import_carry_everything(made, tmp_path, monkeypatch):
    study, encoded = made
    target = tmp_path / "study.zip"
    assert packed(study, target) == 1
    monkeypatch.setenv("STAGELIGHT_LAB_HOME", str(tmp_path / "other-home"))
    other = Study(tmp_path / "other")
    assert unpacked(target, other) == 1
    again = Study(tmp_path / "other")
    assert again.journal.entries == study.journal.entries
    assert bytes_of(kept_receipts(again)[0]) == encoded
    assert (again.workspace / "receipts" / "01-tracing-is-not-running.json").read_bytes() == encoded
    lesson = first_lesson()
    assert again.exercise_file(lesson, lesson.exercises[0]).read_text() == lesson.exercises[0].solution
    with pytest.raises(LabError, match="has a journal already"):
        unpacked(target, again)


def test_luggage_that_was_changed_is_refused(made, tmp_path, monkeypatch):
    import zipfile

    study, _ = made
    target = tmp_path / "study.zip"
    packed(study, target)
    with zipfile.ZipFile(target) as file:
        contents = {name: file.read(name) for name in file.namelist()}
    receipt_name = next(name for name in contents if name.startswith("receipts/"))
    changes = {
        "journal.jsonl": (contents["journal.jsonl"].replace(b'"lines"', b'"tines"', 1), "was changed"),
        receipt_name: (contents[receipt_name].replace(b"29.0", b"30.0", 1), "was changed after the receipt was sealed"),
    }
    for number, (name, (content, complaint)) in enumerate(changes.items()):
        forged = tmp_path / f"forged-{number}.zip"
        with zipfile.ZipFile(forged, "w") as file:
            for other, original in contents.items():
                file.writestr(other, content if other == name else original)
        monkeypatch.setenv("STAGELIGHT_LAB_HOME", str(tmp_path / f"home-{number}"))
        with pytest.raises(LabError, match=complaint):
            unpacked(forged, Study(tmp_path / f"place-{number}"))


def test_luggage_lays_nothing_outside_its_folders(tmp_path, monkeypatch):
    import zipfile

    source = tmp_path / "evil.zip"
    with zipfile.ZipFile(source, "w") as file:
        file.writestr("journal.jsonl", b"")
        file.writestr("../escaped", b"x")
        file.writestr("sources/../../escaped", b"x")
    monkeypatch.setenv("STAGELIGHT_LAB_HOME", str(tmp_path / "home"))
    unpacked(source, Study(tmp_path / "place"))
    assert not list(tmp_path.rglob("escaped"))
