"""A document as a notebook displays it."""

from stagelight.report.document import Document
from stagelight.report.html import document_fragment
from stagelight.report.terminal import terminal_text


class Shown:
    """A document that a notebook displays: HTML that folds, or text where there is no browser."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def _repr_html_(self) -> str:
        return document_fragment(self._document)

    def __repr__(self) -> str:
        return terminal_text(self._document)
