"""An explanation in a terminal: the user's own source, coloured by binding time, beside what it made.

Without colours, a line of letters under each source line says the same.
"""

import io
from typing import TextIO

from rich.console import Console
from rich.text import Text

from stagelight.model.explanation import Explanation, TraceFailure
from stagelight.report.explanation_lines import ExplainedLine, boundary_only, explained_lines, kind_of
from stagelight.report.terminal import encodable
from stagelight.report.visible import visible, visible_source_line

_STYLES = {"data": "bold red", "metadata": "cyan", "static": "yellow", "constant": "dim", "captured": "green"}
_LETTERS = {"data": "D", "metadata": "M", "static": "S", "constant": "c", "captured": "A"}
_MEANINGS = {
    "data": "known when the program runs",
    "metadata": "read off shapes and structure while tracing",
    "static": "one value for each specialization",
    "constant": "written in the source or from outside",
    "captured": "array from outside, baked in",
}


def write_explanation(
    explanation: Explanation, stream: TextIO, *, only_boundary: bool = False, with_jaxpr: bool = False
) -> None:
    """Write an explanation; colours where the stream is a terminal.

    Args:
        explanation: What to write.
        stream: Where to.
        only_boundary: Hide lines where nothing crosses the staging boundary.
        with_jaxpr: Write the jaxpr too.
    """
    colours = Console(file=stream)
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=max(colours.width, 60),
        color_system=colours.color_system,
        force_terminal=colours.is_terminal,
        no_color=colours.no_color,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    writer = _Writer(console, explanation, only_boundary, has_colours=colours.is_terminal and not colours.no_color)
    writer.write(with_jaxpr)
    stream.write(encodable(buffer.getvalue(), stream))
    stream.flush()


class _Writer:
    def __init__(self, console: Console, explanation: Explanation, only_boundary: bool, *, has_colours: bool):
        self.console = console
        self.explanation = explanation
        self.only_boundary = only_boundary
        self.has_colours = has_colours
        self.opened = {0}

    def write(self, with_jaxpr: bool) -> None:
        explanation, entry = self.explanation, self.explanation.functions[0]
        self._print(Text.assemble((visible(explanation.call), "bold")))
        self._print(Text(f"{visible(entry.file)}:{entry.first_line}  JAX {explanation.jax_version}", "dim"))
        self._print(self._legend())
        self._print(Text())
        self._function(0, "")
        if explanation.failure is not None:
            self._failure(explanation.failure)
        self._program(with_jaxpr)
        for note in explanation.notes:
            self._print(Text(f"note: {note}", "yellow"))

    def _print(self, text: Text) -> None:
        self.console.print(text, soft_wrap=True)

    def _legend(self) -> Text:
        legend = Text()
        for kind, meaning in _MEANINGS.items():
            word = kind if self.has_colours else f"{_LETTERS[kind]} {kind}"
            legend.append(word, _STYLES[kind]).append(f" {meaning}   ", "dim")
        return legend

    # --- source

    def _function(self, index: int, margin: str) -> None:
        lines = explained_lines(self.explanation, index)
        shown = boundary_only(lines) if self.only_boundary else lines
        for line in shown:
            if isinstance(line, int):
                self._print(Text(f"{margin}     ⋯ {line} line{'s' if line > 1 else ''}", "dim"))
            else:
                self._line(line, margin)

    def _line(self, line: ExplainedLine, margin: str) -> None:
        row = Text(f"{margin}{line.number:>4} │ ", "dim")
        for run in line.runs:
            row.append(run.text, _STYLES.get(kind_of(run.label), ""))
        beside = [*line.equations, *(f"! {e} ran while tracing" for e in line.effects)]
        if beside:
            row.append("   # " + " · ".join(visible(b) for b in beside), "dim")
        self._print(row)
        if not self.has_colours and any(run.label for run in line.runs):
            letters = "".join(_lettered(run.text, kind_of(run.label)) for run in line.runs)
            self._print(Text(f"{margin}     │ {letters.rstrip()}"))
        if line.failing is not None:
            begin, end = line.failing
            self._print(Text(f"{margin}     │ {' ' * begin}{'^' * max(end - begin, 1)} fails here", "bold red"))
        for helper in line.helpers:
            if helper not in self.opened:  # opened in place, the first time it is called
                self.opened.add(helper)
                self._print(Text(f"{margin}     └ {visible(self.explanation.functions[helper].function)}", "bold"))
                self._function(helper, margin + "       ")

    # --- below the source

    def _failure(self, found: TraceFailure) -> None:
        failure = found.failure
        self._print(Text())
        self._print(Text.assemble((failure.slug, "bold red"), f"  {failure.error}"))
        if failure.site.file:
            place = f"{visible(failure.site.file)}:{failure.site.line}:{failure.column}"
            self._print(Text(f"  {place}  {visible(failure.expression)}"))
        if failure.arguments:
            self._print(Text(f"  flows from {', '.join(map(visible, failure.arguments))}"))
        for text, aval in found.operands:
            self._print(Text(f"  {visible(text)}: {visible(aval) or 'holds traced values'}"))
        if found.reason:
            self._print(Text(f"  {found.reason}"))
        for way in found.ways_out:
            self._print(Text(f"  - {way}"))
        self._print(Text(f"  JAX says: {visible(failure.message.splitlines()[0] if failure.message else '')}", "dim"))
        if failure.slug not in ("other", ""):
            self._print(Text(f"  more: stagelight rule {failure.slug}", "dim"))

    def _program(self, with_jaxpr: bool) -> None:
        explanation = self.explanation
        rows = [f"static {name} = {visible(value)}" for name, value in explanation.static]
        rows += [f"captured {aval}, {size:,} bytes baked in" for aval, size in explanation.constants]
        if explanation.elsewhere:
            total = sum(count for _, count in explanation.elsewhere)
            most = ", ".join(f"{count}× {primitive}" for primitive, count in explanation.elsewhere[:4])
            rows.append(f"{total} equations made by library code: {most}")
        if rows:
            self._print(Text())
        for row in rows:
            self._print(Text(row))
        if with_jaxpr and explanation.jaxpr:
            self._print(Text())
            for line in explanation.jaxpr.splitlines():
                self._print(Text(visible_source_line(line)))


def _lettered(text: str, kind: str) -> str:
    letter = _LETTERS.get(kind, " ")
    return "".join(" " if c.isspace() else letter for c in text)
