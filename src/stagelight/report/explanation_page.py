"""An explanation as one self-contained HTML page: hover an expression for its label, open helpers in place.

It has no script; "boundary only" is a checkbox that the page's style looks at. The content security policy allows that
style by its hash and nothing else, from anywhere.
"""

import base64
import functools
import hashlib
from importlib.resources import files

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup

from stagelight.model.explanation import Explanation
from stagelight.report.explanation_lines import explained_lines, kind_of, label_text
from stagelight.report.visible import visible

_NOTHING_ELSE = "base-uri 'none'; form-action 'none'"


def explanation_html(explanation: Explanation) -> str:
    """The page of an explanation."""
    style = _asset("explanation.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    opened = {0}

    def opening(helper: int) -> bool:
        """Whether a helper is shown here: in place of its first call."""
        is_first = helper not in opened
        opened.add(helper)
        return is_first

    return (
        _environment()
        .get_template("explanation.html.j2")
        .render(
            explanation=explanation,
            policy=f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; {_NOTHING_ELSE}",
            style=Markup(style),
            lines=lambda index: explained_lines(explanation, index),
            opening=opening,
        )
    )


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_asset), autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_made_visible
    )
    environment.filters.update({"kind": kind_of, "label": label_text})
    return environment


def _made_visible(value: object) -> object:
    """What each ``{{ … }}`` passes before it is escaped; the page's own markup is left alone."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@functools.cache
def _asset(name: str) -> str:
    return files("stagelight.report").joinpath("templates", name).read_text("utf-8")
