"""A finding: one staging mistake that was proved in source, where it is, and how data reached it."""

import msgspec


class Span(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A stretch of source text; lines and columns are 1-based, columns count characters, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class PathStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the path by which data reached an expression, the entry point first.

    ``text`` says what happens there in the user's words: ``"train_step is traced by jax.jit"``.
    """

    file: str
    line: int
    column: int
    text: str


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """Replace the text of ``span`` by ``text``; an empty span inserts."""

    span: Span
    text: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake, proved in source.

    Attributes:
        slug: the rule's public name, the same as its documentation page.
        file: the path as it was given, with forward slashes.
        span: the exact sub-expression.
        message: one sentence that names the user's expression.
        function: qualified name of the function that holds the span, or ``"<module>"``.
        expression: the source text of the span, shortened.
        arguments: names of the arguments that the expression flows from, as the user wrote them (``params['w']``).
        path: how data reached the expression, the entry point first.
        hint: what to do instead, one sentence.
        edits: a repair that needs no execution (``check --fix`` writes it); empty when there is none.
    """

    slug: str
    file: str
    span: Span
    message: str
    function: str = "<module>"
    expression: str = ""
    arguments: tuple[str, ...] = ()
    path: tuple[PathStep, ...] = ()
    hint: str = ""
    edits: tuple[Edit, ...] = ()
