"""Configuration from pyproject.toml, and what is said about mistakes in it."""

import pytest

from stagelight.errors import UsageError
from stagelight.inspection.configuration import CheckConfiguration, find_pyproject, read_configuration
from stagelight.inspection.slugs import ALL_SLUGS


def _read(tmp_path, text):
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    return read_configuration(path)


def test_every_key_is_read(tmp_path):
    configuration = _read(
        tmp_path,
        """
        [tool.stagelight.check]
        select = ["all"]
        ignore = ["unrolled-loop"]
        exclude = ["old"]
        assume-traced = ["pkg.layers.*"]
        baseline = "known.json"
        [tool.stagelight.check.per-file-ignores]
        "tests/*" = ["jit-in-loop"]
        """,
    )
    assert configuration.slugs() == tuple(slug for slug in ALL_SLUGS if slug != "unrolled-loop")
    assert configuration.exclude == ("old",)
    assert configuration.assume_traced == ("pkg.layers.*",)
    assert configuration.baseline == "known.json"
    assert configuration.per_file_ignores == {"tests/*": ("jit-in-loop",)}


def test_without_a_table_the_defaults_hold(tmp_path):
    assert _read(tmp_path, "[project]\nname = 'x'\n") == CheckConfiguration() == read_configuration(None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.stagelight.check]\nselct = []\n", "selct"),
        ("[tool.stagelight.check]\nselect = 3\n", "select"),
        ("[tool.stagelight.check]\nignore = ['traced-conditions']\n", "Did you mean 'traced-condition'"),
        ("[tool", "cannot be read"),
    ],
)
def test_mistakes_are_named(tmp_path, text, words):
    with pytest.raises(UsageError, match=words):
        _read(tmp_path, text)


def test_the_nearest_file_is_taken(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    assert find_pyproject(inner) == tmp_path / "pyproject.toml"
