"""Quantities, visible text, file names: the small words that every view is made of."""

import pytest

from stagelight.report import file_names, visible


@pytest.mark.parametrize("character", ["\x1b", "\x00", "\x9b", "\u202e", "\u2066", "\u200b", "\ufeff", "\ud800", "\r"])
def test_no_acting_character_survives(character):
    shown = visible.visible(f"a{character}b")
    assert character not in shown
    assert shown.startswith("a\\")
    shown.encode()


def test_ordinary_text_of_any_script_is_left_alone():
    text = "batch['图像'] → f32[32,128] ×3 naïve 🙂"
    assert visible.visible(text) == text


def test_shortened_text_keeps_both_ends_and_its_limit():
    assert visible.shortened("a" * 50 + "z" * 50, 11) == "aaaaa…zzzzz"
    assert len(visible.shortened("x" * 1_000_000, 160)) == 160


def test_files_are_named_relative_to_where_the_program_ran():
    names = file_names.FileNames(("/home/ada",), (("/tmp/ipykernel_1/2.py", "cell [3]"),))
    assert names.short("/home/ada/src/train.py") == "src/train.py"
    assert names.short("/home/adam/train.py") == "/home/adam/train.py"
    assert names.short("/tmp/ipykernel_1/2.py") == "cell [3]"
