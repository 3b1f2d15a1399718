"""The Python examples of a Markdown page, and a runner for them.

A page's blocks that are fenced as ```` ```python ```` or ```` ```{doctest} ```` share one namespace and run in order:
those with ``>>>`` as doctests, the others as plain code. What only illustrates is fenced as ``{code-block} python``.
"""

import doctest
import re
import sys
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)```(?:python|\{doctest\})\n(?P<body>.*?)^ *```$", re.MULTILINE | re.DOTALL)


def blocks_of(text: str) -> list[tuple[int, str]]:
    """Each example with the 1-based line on which its code begins."""
    return [
        (text.count("\n", 0, match.start("body")) + 1, re.sub(f"(?m)^{match['indent']}", "", match["body"]))
        for match in FENCE.finditer(text)
    ]


def run_page(path: Path) -> int:
    """Run the examples of a page; returns how many failed, having said which on standard output."""
    namespace = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for line, code in blocks_of(path.read_text()):
        if ">>>" in code:
            example = doctest.DocTestParser().get_doctest(code, namespace, path.name, str(path), line - 1)
            runner.run(example, clear_globs=False)
            namespace.update(example.globs)
        else:
            exec(compile("\n" * (line - 1) + code, str(path), "exec"), namespace)
    return runner.failures


if __name__ == "__main__":
    sys.exit(bool(sum([run_page(Path(name)) for name in sys.argv[1:]])))
