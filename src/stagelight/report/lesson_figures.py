"""Figures of a lesson as SVG: calls against traces, and a function's source by binding time."""

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

from stagelight.model.examination import FunctionCounts
from stagelight.model.explanation import Explanation
from stagelight.report.explanation_lines import Run, explained_lines, kind_of
from stagelight.report.visible import visible

CHARACTER = 7.8
LINE = 20
BAR = 14
LABELS = 150
BARS = 340

# Where a page has a colour scheme, `light-dark` follows it; each pair is legible on white and on near black.
COLOURS = {
    "data": "light-dark(#b3261e, #ff8a80)",
    "metadata": "light-dark(#00687a, #67d5e8)",
    "static": "light-dark(#7a5b00, #f0c75e)",
    "captured": "light-dark(#22702f, #81d68b)",
    "constant": "light-dark(#5f646c, #9a9ea6)",
    "calls": "light-dark(#66727e, #8b98a6)",
    "traces": "light-dark(#2f6fb0, #6aa9ea)",
}
KINDS = ("data", "metadata", "static", "captured", "constant")


def calls_figure(functions: Sequence[FunctionCounts], title: str) -> str:
    """Bars of calls and traces, one pair a function, each with its number.

    Args:
        functions: The functions to show.
        title: What the figure shows, for those who do not see it.
    """
    most = max([1, *(max(one.calls, one.traces) for one in functions)])
    parts: list[str] = []
    for row, one in enumerate(functions):
        top = 10 + row * 3 * LINE
        parts.append(_text(0, top + BAR + 4, one.name, anchor="start", weight="600"))
        for offset, kind, number in ((0, "calls", one.calls), (BAR + 5, "traces", one.traces)):
            width = max(1.0, BARS * number / most)
            parts.append(
                f'<rect x="{LABELS}" y="{top + offset}" width="{width:.1f}" height="{BAR}" rx="2" '
                f'style="fill:{COLOURS[kind]}"/>'
            )
            noun = kind if number != 1 else kind[:-1]
            parts.append(_text(LABELS + width + 6, top + offset + 11, f"{number:,} {noun}"))
    return _svg(LABELS + BARS + 110, 10 + len(functions) * 3 * LINE, parts, title)


def binding_times_figure(explanation: Explanation, title: str) -> str:
    """Source of the explained function, each expression in the colour of its binding time, with a legend.

    Args:
        explanation: The function under one call.
        title: What the figure shows, for those who do not see it.
    """
    lines = explained_lines(explanation, 0)
    parts: list[str] = []
    for row, line in enumerate(lines):
        parts += _source_line(line.runs, 20 + row * LINE)
    bottom = 20 + len(lines) * LINE + 8
    kinds = [kind for kind in KINDS if any(kind_of(run.label) == kind for line in lines for run in line.runs)]
    left = 0.0
    for kind in kinds:
        parts.append(f'<rect x="{left}" y="{bottom - 9}" width="10" height="10" rx="2" style="fill:{COLOURS[kind]}"/>')
        parts.append(_text(left + 16, bottom, kind))
        left += 16 + CHARACTER * len(kind) + 22
    widest = max([left, *(CHARACTER * sum(len(run.text) for run in line.runs) for line in lines)])
    return _svg(widest + 10, bottom + 12, parts, title)


def _source_line(runs: Iterable[Run], y: float) -> Iterable[str]:
    column = 0
    for run in runs:
        if run.text.strip():
            lead = len(run.text) - len(run.text.lstrip(" "))
            shown = run.text.strip(" ")
            kind = kind_of(run.label)
            yield _text(
                CHARACTER * (column + lead),
                y,
                shown,
                colour=COLOURS.get(kind, ""),
                weight="600" if kind == "data" else "",
                length=CHARACTER * len(shown),
            )
        column += len(run.text)


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", colour: str = "", weight: str = "", length: float = 0
) -> str:
    style = f"fill:{colour or 'currentColor'}" + (f";font-weight:{weight}" if weight else "")
    fitted = f' textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs"' if length else ""
    written = escape(visible(text))
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} xml:space="preserve"{fitted} style="{style}">{written}</text>'


def _svg(width: float, height: float, parts: Sequence[str], title: str) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" style="max-width:100%;height:auto;font:13px ui-monospace,Menlo,Consolas,'
        f"'DejaVu Sans Mono',monospace\">"
    )
    return "\n".join([head, f"<title>{escape(visible(title))}</title>", *parts, "</svg>"])
