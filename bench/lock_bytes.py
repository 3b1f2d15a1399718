"""Is the lock of the example program the same to the last byte, whatever the hash seed and the folder?

Decides whether a lock can be committed: it must change when the program does, and never otherwise. Each given Python
(one for each JAX) locks both versions of the digits example in two folders under two hash seeds.

    python bench/lock_bytes.py --python envs/jax0.9.2/bin/python --python envs/jax0.12/bin/python
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = ("train.py", "train_repaired.py")
SEEDS = ("1", "4242")


def locked(python: str, program: str, folder: Path, seed: str) -> bytes:
    """The lock file's bytes."""
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "examples" / "digits" / program, folder)
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": seed, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3",
    }  # fmt: skip
    command = [python, "-m", "stagelight", "lock", program]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(ended.stderr)
    return (folder / "stagelight.lock").read_bytes()


def row(python: str, program: str) -> bool:
    """Lock one program four times, and print whether the bytes agree."""
    asked = [python, "-c", "import jax, sys; print(jax.__version__)"]
    version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as name:
        folders = (Path(name) / "here", Path(name) / "some where" / "else")
        found = [locked(python, program, folder / f"seed{seed}", seed) for folder in folders for seed in SEEDS]
    digests = {hashlib.sha256(text).hexdigest()[:16] for text in found}
    same = len(digests) == 1
    print(f"{version:10} {program:18} {len(found)} locks, {len(found[0]):6,} bytes  "
          f"{'identical' if same else 'DIFFERENT'}  sha256 {', '.join(sorted(digests))}", flush=True)  # fmt: skip
    return same


def main() -> None:
    """One row for each JAX and program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", help="an interpreter with a JAX; repeatable [default: this one]")
    pythons = parser.parse_args().python or [sys.executable]
    print(f"hash seeds {', '.join(SEEDS)}; two folders, one with a space in its name")
    same = [row(python, program) for python in pythons for program in PROGRAMS]
    sys.exit(0 if all(same) else 1)


if __name__ == "__main__":
    main()
