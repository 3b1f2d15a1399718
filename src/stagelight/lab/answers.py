"""What a learner typed, read by the kind of the question, and held against the key that JAX gave."""

import ast
import json
import math
from typing import Any

from stagelight.errors import UsageError
from stagelight.model.binding_time import BindingTime
from stagelight.model.lesson import Question

_BINDING_TIMES = tuple(time.value for time in BindingTime)
WANTED = {
    "value": "a value, as Python prints it",
    "traces": "a whole number",
    "call": "the number of the call, from 1, or 0 for none",
    "cause": "the slug of a cause, such as shape-changed",
    "binding-time": f"one of {', '.join(_BINDING_TIMES)}",
}


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
    if not text:
        raise UsageError(_wrong(question, text))
    if question.kind in ("cause", "binding-time"):
        word = text.lower().replace("_", "-").replace(" ", "-").strip("\"'`")
        if question.kind == "binding-time" and word not in _BINDING_TIMES:
            raise UsageError(_wrong(question, text))
        return json.dumps(word)
    value = _literal(text)
    if question.kind in ("traces", "call") and (type(value) is not int or value < 0):
        raise UsageError(_wrong(question, text))
    return json.dumps(value)


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


def _wrong(question: Question, text: str) -> str:
    return f"{text!r} is no answer to {question.id}: type {WANTED[question.kind]}"


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
