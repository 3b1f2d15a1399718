"""``%%stagelight``: run a cell, then show what it traced, compiled and dispatched slowly, and why."""

from typing import Any

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from stagelight.notebook.displays import DisplayedDocument
from stagelight.notebook.watching import NotebookWatch
from stagelight.report.folded_document import folded_document


class CellRaised(Exception):
    """The watched cell raised; its traceback stands above, so that this one shows nothing of its own."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows of it (``InteractiveShell.showtraceback``)."""
        return []


@magics_class
class StagelightMagics(Magics):
    """The magics that the extension adds.

    Args:
        shell: IPython's shell.
        watch: The notebook's session.
    """

    def __init__(self, shell: Any, watch: NotebookWatch) -> None:
        super().__init__(shell)
        self._watch = watch

    @magic_arguments()
    @argument("--all", action="store_true", dest="everything", help="Expected misses and library functions too.")
    @cell_magic
    def stagelight(self, line: str, cell: str) -> None:
        """Run the cell, then show what it traced, compiled and dispatched slowly, and why."""
        chosen = parse_argstring(self.stagelight, line)
        self._watch.begin_cell()
        try:
            result = self.shell.run_cell(cell, store_history=False)
        finally:
            account = self._watch.end_cell(raised="result" not in locals() or not result.success)
        display(DisplayedDocument(folded_document(account, everything=chosen.everything)))
        if not result.success:
            raise CellRaised(type(result.error_before_exec or result.error_in_exec).__name__)
