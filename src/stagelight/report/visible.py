"""Text that cannot act: control and bidirectional characters of a ledger become visible escapes."""

import re

# C0 and C1 controls, the line and paragraph separators, zero-width and bidirectional formatting (CVE-2021-42574,
# "Trojan Source"), tag characters, and lone surrogates, which no encoder takes.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def visible(text: str) -> str:
    r"""The text with each hidden or acting character written as its Python escape.

    >>> print(visible("a\x1b[31mb"), visible("one\ntwo"))
    a\x1b[31mb one\ntwo
    """
    return _HIDDEN.sub(_escape, text)


def visible_source_line(line: str) -> str:
    """As :func:`visible`, with tabs as four spaces, the way source is read."""
    return visible(line.rstrip("\r\n").replace("\t", "    "))


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    short = _SHORT.get(character)
    if short is not None:
        return short
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shortened(text: str, limit: int) -> str:
    """The text cut in its middle to at most ``limit`` characters.

    >>> shortened("abcdefghij", 7)
    'abc…hij'
    """
    if len(text) <= limit:
        return text
    head = (limit - 1) // 2
    return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"
