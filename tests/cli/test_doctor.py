"""``stagelight doctor`` says what works here and why."""

import pytest

from tests.recorder.programs import stagelight_command

pytest.importorskip("jax")


def test_everything_works_under_a_tested_jax_and_the_cache_is_looked_at(tmp_path):
    told = stagelight_command("doctor", JAX_COMPILATION_CACHE_DIR=str(tmp_path))
    assert told.returncode == 0, told.stdout
    assert "is one of the versions that this Stagelight is tested with" in told.stdout
    assert "no  traces" not in told.stdout
    assert "ok  a function was traced and compiled, and its ledger said so" in told.stdout
    assert f"on, {tmp_path}" in told.stdout
    assert "ok  set before the first array" in told.stdout


def test_without_a_cache_it_says_how_to_switch_it_on():
    assert "Set JAX_COMPILATION_CACHE_DIR" in stagelight_command("doctor").stdout
