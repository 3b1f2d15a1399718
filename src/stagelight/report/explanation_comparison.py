"""Lay two explanations of one function side by side."""

from typing import TextIO

from rich.console import Console
from rich.text import Text

from stagelight.model.explanation import ExplainedFunction, Explanation, LabelledSpan
from stagelight.model.explanation_difference import ExplanationDifference, LineDifference
from stagelight.report.explanation_lines import equation_text
from stagelight.report.visible import visible, visible_source_line

type Line = tuple[str, int]


def explanation_difference(before: Explanation, after: Explanation) -> ExplanationDifference:
    """What differs in static values, in the source that ran, and in the equations that it made."""
    one, two = _lines(before), _lines(after)
    texts = {**_texts(before), **_texts(after)}
    differing = [line for line in sorted({*one, *two}) if one.get(line) != two.get(line)]
    return ExplanationDifference(
        before=before.call,
        after=after.call,
        static=_static(before, after),
        lines=tuple(_line_difference(line, texts[line], one.get(line), two.get(line)) for line in differing),
        equations=(_total(before), _total(after)),
    )


def write_explanation_difference(difference: ExplanationDifference, stream: TextIO) -> None:
    """Write a difference for a terminal."""
    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    console.print(Text(f"- {visible(difference.before)}   {difference.equations[0]} equations", "red"))
    console.print(Text(f"+ {visible(difference.after)}   {difference.equations[1]} equations", "green"))
    for name, before, after in difference.static:
        console.print(Text(f"static {name}: {visible(before)} → {visible(after)}", "yellow"))
    for line in difference.lines:
        console.print(Text(f"\n{line.line:>4} │ {visible_source_line(line.text)}"))
        for text, before, after in line.labels:
            console.print(Text(f"     │   {visible(text)}: {before} → {after}", "dim"))
        if line.before != line.after:
            console.print(Text(f"   - │   {visible(' · '.join(line.before)) or 'no equation'}", "red"))
            console.print(Text(f"   + │   {visible(' · '.join(line.after)) or 'no equation'}", "green"))
    if not difference.lines and not difference.static:
        console.print(Text("Both specializations made the same equations from the same source."))


def _lines(explanation: Explanation) -> dict[Line, tuple[tuple[str, ...], tuple[tuple[str, str], ...]]]:
    """By line: its equations, and its expressions with their labels."""
    found = {}
    for function in explanation.functions:
        for offset in range(len(function.lines)):
            number = function.first_line + offset
            equations = tuple(equation_text(e) for e in function.equations if e.line == number)
            labels = tuple(_label(s, function) for s in function.spans if s.span.line == s.span.end_line == number)
            if equations or labels:
                found[function.file, number] = (equations, labels)
    return found


def _label(label: LabelledSpan, function: ExplainedFunction) -> tuple[str, str]:
    row = function.lines[label.span.line - function.first_line]
    return row[label.span.column - 1 : label.span.end_column - 1], " ".join([label.time.value, label.aval]).strip()


def _texts(explanation: Explanation) -> dict[Line, str]:
    return {(f.file, f.first_line + i): text for f in explanation.functions for i, text in enumerate(f.lines)}


def _line_difference(line: Line, text: str, one: tuple | None, two: tuple | None) -> LineDifference:
    before, after = one or ((), ()), two or ((), ())
    known, new = dict(before[1]), dict(after[1])
    labels = [(t, known.get(t, "did not run"), new.get(t, "did not run")) for t in dict.fromkeys([*known, *new])]
    return LineDifference(
        file=line[0],
        line=line[1],
        text=text,
        before=before[0],
        after=after[0],
        labels=tuple(row for row in labels if row[1] != row[2]),
    )


def _static(before: Explanation, after: Explanation) -> tuple[tuple[str, str, str], ...]:
    one, two = dict(before.static), dict(after.static)
    rows = [(name, one.get(name, "not static"), two.get(name, "not static")) for name in dict.fromkeys([*one, *two])]
    return tuple(row for row in rows if row[1] != row[2])


def _total(explanation: Explanation) -> int:
    made = sum(e.count for f in explanation.functions for e in f.equations)
    return made + sum(count for _, count in explanation.elsewhere)
