"""Environments are pinned, and they are the ones that the test command makes."""

import re

import pytest
from gates.tree import ROOT

REQUIREMENTS = ROOT / "requirements"
environments = sorted(path.stem for path in REQUIREMENTS.glob("*.txt"))
jax_versions = [name.removeprefix("jax-") for name in environments if name.startswith("jax-")]


@pytest.mark.parametrize("name", environments)
def test_every_requirement_is_pinned_with_a_hash(name: str):
    entries = (REQUIREMENTS / f"{name}.txt").read_text().replace("\\\n", " ").splitlines()
    for entry in entries:
        if entry and not entry.lstrip().startswith("#"):
            assert re.match(r"[\w.-]+(\[[\w,]+\])?==\S+ .*--hash=sha256:", entry), entry


@pytest.mark.parametrize("version", jax_versions)
def test_an_environment_holds_the_jax_of_its_name(version: str):
    pins = (REQUIREMENTS / f"jax-{version}.txt").read_text()
    assert f"\njax=={version} " in pins
    assert f"\njaxlib=={version} " in pins


def test_the_environment_without_jax_has_none():
    assert not re.search(r"^(jax|jaxlib)==", (REQUIREMENTS / "no-jax.txt").read_text(), re.MULTILINE)


def test_the_main_environment_has_the_newest_jax():
    newest = max(jax_versions, key=lambda version: tuple(map(int, version.split("."))))
    assert f"\njax=={newest} " in (REQUIREMENTS / "dev.txt").read_text()


def test_the_test_command_covers_every_older_jax():
    newest = max(jax_versions, key=lambda version: tuple(map(int, version.split("."))))
    line = re.search(r"^OLDER_JAX=\((.*)\)$", (ROOT / "scripts" / "test.sh").read_text(), re.MULTILINE)
    assert set(line[1].split()) == set(jax_versions) - {newest}
