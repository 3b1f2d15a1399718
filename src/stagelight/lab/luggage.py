"""A study packed in one file: journal, sources, receipts; and laid again on another machine."""

import zipfile
from pathlib import Path

from stagelight.errors import LabError
from stagelight.lab.journal import entries_from
from stagelight.lab.receipts import bytes_of
from stagelight.lab.study import Study, write_text
from stagelight.lab.verification import receipt_from
from stagelight.model.receipt import SealedReceipt

JOURNAL = "journal.jsonl"
FOLDERS = ("sources", "last-sources", "receipts")
LARGEST_BYTES = 50_000_000


def packed(study: Study, target: Path) -> int:
    """Write a study to a zip file.

    Args:
        study: The learner's place.
        target: The file.

    Returns:
        The number of receipts in it.

    Raises:
        LabError: It cannot be written.
    """
    paths = [path for name in FOLDERS for path in sorted((study.home / name).glob("*")) if path.is_file()]
    study.journal.restore()
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
            for path in (study.home / JOURNAL, *paths):
                file.write(path, path.relative_to(study.home).as_posix())
    except OSError as error:
        message = f"{target} cannot be written: {error.strerror}"
        raise LabError(message) from None
    return sum(path.parent.name == "receipts" for path in paths)


def unpacked(source: Path, study: Study) -> int:
    """Lay a packed study in a workspace that has none.

    Args:
        source: The zip file.
        study: Where; its journal must be empty.

    Returns:
        The number of receipts that were in it.

    Raises:
        LabError: The file is none, something in it was changed, or there is a journal already.
    """
    if study.journal.entries:
        message = f"{study.workspace} has a journal already; name another folder, so that nothing is lost"
        raise LabError(message)
    files = _files_of(source)
    if JOURNAL not in files:
        message = f"{source} holds no {JOURNAL}: it was not written by stagelight learn export"
        raise LabError(message)
    entries_from(files[JOURNAL], f"{source}: {JOURNAL}")
    receipts = _checked_receipts(files, source)
    for name, content in files.items():
        write_text(study.home / name, content.decode("utf-8"))
    again = Study(study.workspace)
    again.lay()
    for receipt, name in receipts:
        write_text(study.workspace / name, bytes_of(receipt).decode("ascii"))
    again.restore()
    return len(receipts)


def _files_of(source: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(source) as file:
            infos = [one for one in file.infolist() if not one.is_dir()]
            if sum(one.file_size for one in infos) > LARGEST_BYTES:
                message = f"{source} unpacks to more than {LARGEST_BYTES // 1_000_000} MB: it is no study"
                raise LabError(message)
            return {one.filename: file.read(one) for one in infos if _is_expected(one.filename)}
    except (OSError, zipfile.BadZipFile) as error:
        message = f"{source} cannot be read as an exported study: {error}"
        raise LabError(message) from None


def _is_expected(name: str) -> bool:
    """Whether a name is one that export writes: nothing else may be laid anywhere."""
    folder, separator, file = name.rpartition("/")
    return name == JOURNAL or bool(separator and folder in FOLDERS and file and file not in (".", ".."))


def _checked_receipts(files: dict[str, bytes], source: Path) -> list[tuple[SealedReceipt, str]]:
    found: list[tuple[SealedReceipt, str]] = []
    for name, content in files.items():
        if name.startswith("receipts/"):
            receipt, findings = receipt_from(content)
            if receipt is None or findings:
                message = f"{source}: {name}: {findings[0].field}: {findings[0].message}"
                raise LabError(message)
            found.append((receipt, name))
    return found
