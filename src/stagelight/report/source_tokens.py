"""Python source as HTML lines whose keywords, strings and comments can be told apart."""

from collections.abc import Sequence

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer  # pyright: ignore[reportMissingTypeStubs]
from pygments.token import Comment, Keyword, Name, Number, String, Token

from stagelight.report.visible import visible_source_line

_CLASSES = (
    (Comment, "tc"),
    (String, "ts"),
    (Keyword, "tk"),
    (Number, "tn"),
    (Name.Decorator, "td"),
    (Name.Function, "tf"),
)


def highlighted_lines(lines: Sequence[str]) -> list[Markup]:
    """The lines as markup, one for one.

    >>> highlighted_lines(["x = 1"])[0]
    Markup('x = <span class="tn">1</span>')
    """
    text = "\n".join(visible_source_line(line) for line in lines)
    result: list[list[Markup]] = [[]]
    for token, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = next((name for kind, name in _CLASSES if token in kind), "") if token is not Token.Text else ""
        for number, part in enumerate(value.split("\n")):
            if number:
                result.append([])
            if part:
                safe = escape(part)
                result[-1].append(Markup('<span class="{}">{}</span>').format(name, safe) if name else safe)
    return [Markup("").join(parts) for parts in result]
