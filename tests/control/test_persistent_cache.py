"""What is said of the persistent cache."""

import jax
import pytest

from stagelight.control.persistent_cache import check_persistent_cache


@pytest.fixture
def cache_in(tmp_path):
    """Set the folder of the cache, and take it back."""
    before = jax.config.jax_compilation_cache_dir

    def choose(folder):
        jax.config.update("jax_compilation_cache_dir", str(folder))

    yield choose
    jax.config.update("jax_compilation_cache_dir", before)


def test_no_cache_is_told(cache_in):
    jax.config.update("jax_compilation_cache_dir", None)
    found = check_persistent_cache()
    assert not found.is_on
    assert "JAX_COMPILATION_CACHE_DIR" in found.problems[0]


def test_a_folder_of_this_user_alone_is_trusted(cache_in, tmp_path):
    tmp_path.chmod(0o700)
    (tmp_path / "jit_step-0123-cache").write_bytes(b"program")
    cache_in(tmp_path)
    found = check_persistent_cache()
    assert (found.is_on, found.is_writable, found.is_trusted, found.entries, found.size_bytes) == (
        True,
        True,
        True,
        1,
        7,
    )


def test_a_folder_that_others_can_write_is_not_trusted(cache_in, tmp_path):
    tmp_path.chmod(0o777)
    cache_in(tmp_path)
    found = check_persistent_cache()
    assert not found.is_trusted
    assert any("can be written by others" in problem for problem in found.problems)


def test_a_folder_that_is_not_there_yet_may_be_made(cache_in, tmp_path):
    cache_in(tmp_path / "cache")
    assert check_persistent_cache().is_writable
    assert not (tmp_path / "cache").exists()
