"""What a learner typed, read by the kind of the question, and held against the key that JAX gave."""

import ast
import difflib
import json
import math
from collections.abc import Callable
from typing import Any

from stagelight.attribution.pages import PAGES
from stagelight.errors import UsageError
from stagelight.model.binding_time import BindingTime
from stagelight.model.lesson import Question, QuestionKind

_BINDING_TIMES = tuple(time.value for time in BindingTime)
# What a cause may be; where nothing is traced, there is none.
CAUSE_PAGES = tuple(page for page in PAGES if page.group != "advisory")
_SLUGS = (*(page.slug for page in CAUSE_PAGES), "none")
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
# Numbers that JSON cannot hold are kept as words.
_WORDS = ("nan", "inf", "-inf")


def answer_from(question: Question, text: str) -> str:
    """A typed answer as it is kept: JSON.

    Args:
        question: The question.
        text: What was typed; the number of a choice stands for the choice.

    Raises:
        UsageError: It cannot be an answer to that question.
    """
    text = text.strip()
    if question.choices:
        text = _chosen(question, text)
    value = READERS[question.kind](text) if text else None
    if value is None:
        message = f"{text!r} is no answer to {question.id}: type {WANTED[question.kind]}{_meant(question, text)}"
        raise UsageError(message)
    return json.dumps(value)


def _count(text: str) -> int | None:
    value = _literal(text)
    return value if type(value) is int and value >= 0 else None


def _number(text: str) -> float | str | None:
    value = _literal(text)
    if text.lower() in _WORDS:
        return text.lower()
    return value if type(value) in (int, float) else None


def _truth(text: str) -> bool | None:
    return _TRUTHS.get(text.lower())


def _list(text: str) -> list[Any] | None:
    opening, closing = text[:1], text[-1:]
    if (opening, closing) not in (("[", "]"), ("(", ")")):
        return None
    numbers = [_number(part.strip()) for part in text[1:-1].rstrip(", ").split(",")] if text[1:-1].strip() else []
    return None if None in numbers else numbers


def _cause(text: str) -> str | None:
    word = _slug(text)
    return word if word in _SLUGS else None


def _binding_time(text: str) -> str | None:
    word = _slug(text)
    return word if word in _BINDING_TIMES else None


def _slug(text: str) -> str:
    return text.lower().replace("_", "-").replace(" ", "-").strip("\"'`")


def _meant(question: Question, text: str) -> str:
    """For a cause that does not exist, the nearest ones, and where to find all."""
    if question.kind != "cause":
        return ""
    word = _slug(text)
    near = [slug for slug in _SLUGS if word and word in slug] or difflib.get_close_matches(word, _SLUGS)
    return (f". Did you mean {', '.join(near[:4])}?" if near else ".") + " List them with: stagelight rule"


def _chosen(question: Question, text: str) -> str:
    # Where a choice is a number itself, the text is the choice.
    if text.isdigit() and text not in question.choices and 0 < int(text) <= len(question.choices):
        return question.choices[int(text) - 1]
    if text not in question.choices:
        message = f"{text!r} is none of the choices: {', '.join(question.choices)}"
        raise UsageError(message)
    return text


def _literal(text: str) -> Any:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return text
    return list(value) if isinstance(value, tuple) else value


# Kind → what a text of it means, and None where it cannot be an answer of that kind.
READERS: dict[QuestionKind, Callable[[str], Any]] = {
    "value": _literal,
    "count": _count,
    "number": _number,
    "truth": _truth,
    "list": _list,
    "traces": _count,
    "call": _count,
    "cause": _cause,
    "binding-time": _binding_time,
}
WANTED: dict[QuestionKind, str] = {
    "value": "a value, as Python prints it",
    "count": "a whole number",
    "number": "a number",
    "truth": "True or False",
    "list": "a list of numbers, such as [1.0, 2.5]",
    "traces": "a whole number",
    "call": "the number of the call, from 1, or 0 for none",
    "cause": "the slug of a cause, or none",
    "binding-time": f"one of {', '.join(_BINDING_TIMES)}",
}


def agrees(answer: str, key: str) -> bool:
    """Whether an answer is the key: numbers within a millionth, all else exactly.

    >>> agrees("29.0", "29"), agrees("[1, 2.0]", "[1, 2]"), agrees('"data"', '"metadata"')
    (True, True, False)
    """
    return bool(key) and _same(json.loads(answer), json.loads(key))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    return one == other
