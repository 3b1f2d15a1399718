"""From lines of a notebook's joined code back to its cells."""

import msgspec

from stagelight.inspection.notebook_cells import NotebookText
from stagelight.model.finding import Finding, Span


def placed_in_cell(finding: Finding, notebook: NotebookText) -> Finding:
    """Return a finding with the cell in its file name (``a.ipynb#cell3``) and lines counted in that cell."""
    cell, line = notebook.cells[min(finding.span.line, len(notebook.cells)) - 1]
    _, end_line = notebook.cells[min(finding.span.end_line, len(notebook.cells)) - 1]
    span = Span(line=line, column=finding.span.column, end_line=end_line, end_column=finding.span.end_column)
    path = tuple(
        msgspec.structs.replace(step, file=f"{step.file}#cell{at[0]}", line=at[1])
        if step.file == finding.file and (at := notebook.cells[min(step.line, len(notebook.cells)) - 1])
        else step
        for step in finding.path
    )
    return msgspec.structs.replace(finding, file=f"{finding.file}#cell{cell}", span=span, path=path, edits=())
