"""Comments that ignore findings: ``# stagelight: ignore[slug, slug]``, or all with ``# stagelight: ignore``."""

import io
import re
import tokenize

import msgspec

from stagelight.inspection.slugs import UNUSED_IGNORE
from stagelight.model.finding import Finding, Span

_MARK = "stagelight: ignore"
_COMMENT = re.compile(r"#\s*stagelight:\s*ignore(?:\[(?P<slugs>[^\]]*)\])?")


class IgnoreComment(msgspec.Struct, frozen=True, kw_only=True):
    """One comment; no slugs means all."""

    span: Span
    slugs: tuple[str, ...]


def ignore_comments(text: str) -> tuple[IgnoreComment, ...]:
    """Return the ignore comments of a source text; text inside strings is not a comment."""
    if _MARK not in text:
        return ()
    found: list[IgnoreComment] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            match = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
            if match is not None:
                slugs = tuple(s.strip() for s in (match["slugs"] or "").split(",") if s.strip())
                found.append(IgnoreComment(span=_span(token, match), slugs=slugs))
    except (tokenize.TokenError, IndentationError):
        pass
    return tuple(found)


def _span(token: tokenize.TokenInfo, match: re.Match[str]) -> Span:
    line, column = token.start
    return Span(line=line, column=column + match.start() + 1, end_line=line, end_column=column + match.end() + 1)


def split_ignored(
    findings: tuple[Finding, ...], comments: tuple[IgnoreComment, ...]
) -> tuple[list[Finding], list[Finding], list[IgnoreComment]]:
    """Return the findings that stay, those that are ignored, and the comments that ignored nothing.

    A comment holds for findings that start or end on its line.
    """
    kept: list[Finding] = []
    ignored: list[Finding] = []
    used: set[IgnoreComment] = set()
    for finding in findings:
        holding = [c for c in comments if _holds(c, finding)]
        used.update(holding)
        (ignored if holding else kept).append(finding)
    return kept, ignored, [comment for comment in comments if comment not in used]


def _holds(comment: IgnoreComment, finding: Finding) -> bool:
    on_line = comment.span.line in (finding.span.line, finding.span.end_line)
    return on_line and (not comment.slugs or finding.slug in comment.slugs)


def unused_ignore(comment: IgnoreComment, file: str) -> Finding:
    """Return the finding about a comment that ignores nothing."""
    what = f"ignore[{', '.join(comment.slugs)}]" if comment.slugs else "ignore"
    return Finding(
        slug=UNUSED_IGNORE,
        file=file,
        span=comment.span,
        message=f"nothing is found on this line that `{what}` would ignore",
        expression=f"# stagelight: {what}",
        hint="remove the comment",
    )
