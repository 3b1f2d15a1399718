import pytest

from stagelight.attribution.limits import Limits
from stagelight.errors import UsageError
from stagelight.report.limits_configuration import configured_limits


def project(tmp_path, table):
    (tmp_path / "pyproject.toml").write_text(f"[tool.stagelight]\n{table}\n")
    inner = tmp_path / "runs"
    inner.mkdir()
    return inner


def test_a_project_sets_limits_for_the_folders_below_it(tmp_path):
    assert configured_limits(project(tmp_path, "many = 3\nconstant-bytes = 1024")) == Limits(
        many=3, constant_bytes=1024
    )


def test_without_a_table_the_limits_are_the_default_ones(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert configured_limits(tmp_path) == Limits()


def test_a_broken_project_file_keeps_nobody_from_reading_a_ledger(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[[[")
    assert configured_limits(tmp_path) == Limits()


def test_a_limit_that_is_no_number_is_refused_by_name(tmp_path):
    with pytest.raises(UsageError, match="growing is 'often'; it takes a whole number from 1"):
        configured_limits(project(tmp_path, "growing = 'often'"))
