"""Stagelight beside what JAX users have today: what each says about one small program for every cause.

Decides whether a cause is worth its file: it must be named, and best where nothing else names it. Each tool runs every
program in a process of its own. A tool names a cause if what it says matches the program's pattern; otherwise it says
something or nothing. All texts are printed, so that patterns and verdicts can be checked by eye.

    python bench/scoreboard.py --page docs/scoreboard.md
"""

import argparse
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

TOOLS = {
    "Stagelight": "stagelight",
    "jax_explain_cache_misses": "jax",
    "chex.assert_max_traces": "chex",
    "equinox.debug.assert_max_traces": "equinox",
}
SHOWN_CHARACTERS = 160


def said_by_stagelight(program) -> str:
    """Every cause that is not a first time, with its evidence."""
    import jax

    import stagelight

    with stagelight.watch() as ledger:
        program.run(jax.jit)
    lines = {
        f"{cause.slug} {cause.path}: {cause.before} → {cause.after} {cause.detail}".strip()
        for miss in stagelight.why(ledger).misses
        for cause in miss.causes
        if miss.function.own and (cause.slug == program.slug or cause.slug not in {"first-trace", "first-compile"})
    }
    return "\n".join(sorted(lines))


def said_by_jax(program) -> str:
    """What JAX logs when it is asked to explain its tracing cache misses."""
    import logging

    import jax

    class Collect(logging.Handler):
        def emit(self, record):
            texts.append(record.getMessage())

    texts: list[str] = []
    logger = logging.getLogger("jax")
    logger.addHandler(Collect())
    logger.propagate = False
    jax.config.update("jax_explain_cache_misses", True)
    program.run(jax.jit)
    # Of a function's first trace it says "never seen function", and no more; that explains no second trace.
    first_times = re.compile(r"never seen function:\n.*\Z")
    return "\n".join(text for text in texts if "CACHE MISS" in text and not first_times.search(text.strip()))


def said_by_assertion(program, decorate) -> str:
    """The message of an assertion that allows one trace."""
    import jax

    try:
        program.run(lambda function, **options: jax.jit(decorate(function), **options))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def said_by_chex(program) -> str:
    import chex

    return said_by_assertion(program, chex.assert_max_traces(n=1))


def said_by_equinox(program) -> str:
    import equinox

    return said_by_assertion(program, equinox.debug.assert_max_traces(max_traces=1))


SAID_BY = {"stagelight": said_by_stagelight, "jax": said_by_jax, "chex": said_by_chex, "equinox": said_by_equinox}


def said_of_all(tool: str, programs) -> dict[str, str]:
    """What a tool says of each program, one after the other in this process."""
    import gc

    import jax

    said = {}
    for program in programs:
        text = without_traces_of_this_run(SAID_BY[tool](program))
        # A tool that prints the name of the program's own function has not thereby named the cause.
        said[program.slug] = text.replace(program.run.__name__, "program")
        gc.collect()
        jax.clear_caches()
    return said


def in_child(tool: str, only: str | None) -> dict[str, str]:
    """``said_of_all`` in a fresh process with two CPU devices."""
    command = [sys.executable, __file__, "--child", tool, *(["--only", only] if only else [])]
    flags = "--xla_force_host_platform_device_count=2"
    environment = dict(os.environ, XLA_FLAGS=flags, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
    outcome = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(outcome.stdout.splitlines()[-1])


def without_traces_of_this_run(text: str) -> str:
    """The text without what differs from run to run: where the tree lies, and addresses."""
    text = text.replace(f"{Path(__file__).resolve().parents[1]}{os.sep}", "")
    return re.sub(r"\b0x[0-9a-f]+\b|(?<=\bid=)\d+", "…", text)


def verdict(text: str, program) -> str:
    """``named``, ``says`` something else, or ``silent``."""
    if not text.strip():
        return "silent"
    if re.search(program.named, text, re.DOTALL | re.IGNORECASE):
        return "named"
    return "says"


def excerpt(text: str, named: str) -> str:
    """One line for a table cell: the text around what names the cause, or else its beginning."""
    text = re.sub(r"\s+", " ", text).strip()
    match = re.search(named, text, re.IGNORECASE)
    begin = max(0, (match.start() + match.end() - SHOWN_CHARACTERS) // 2) if match else 0
    end = begin + SHOWN_CHARACTERS
    shown = f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"
    return shown.replace("|", "\\|").replace("`", "'").replace("<", "\\<")


def page(programs, said) -> str:
    """The page of the documentation."""
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("jax", "chex", "equinox"))
    counts = [
        sum(verdict(said[tool][program.slug], program) == "named" for program in programs) for tool in TOOLS.values()
    ]
    lines = [
        "# Scoreboard",
        "",
        "One small program for every cause, and what each tool says of it. **named**: the text holds the argument and",
        "both values, or the reason in any words. *says*: it speaks, of something else. silent: nothing.",
        f"Made by `bench/scoreboard.py` with {versions}; programs and patterns: `bench/scoreboard_programs.py`.",
        "",
        "| cause | " + " | ".join(TOOLS) + " |",
        "|---|" + "---|" * len(TOOLS),
    ]
    marks = {"named": "**named**", "says": "*says*", "silent": "silent"}
    for program in programs:
        cells = []
        for tool in TOOLS.values():
            text = said[tool][program.slug]
            mark = marks[verdict(text, program)]
            cells.append(f"{mark}: {excerpt(text, program.named)}" if text.strip() else mark)
        lines.append(f"| {program.slug} | " + " | ".join(cells) + " |")
    lines.append(f"| **named, of {len(programs)}** | " + " | ".join(f"**{count}**" for count in counts) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print what every tool says of every program; with ``--child``, what one says, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child", metavar="TOOL", help=argparse.SUPPRESS)
    parser.add_argument("--only", metavar="SLUG", help="one program")
    parser.add_argument("--page", metavar="FILE", help="write the page of the documentation there")
    options = parser.parse_args()
    from scoreboard_programs import PROGRAMS

    programs = [program for program in PROGRAMS if options.only in (None, program.slug)]
    if options.child:
        print(json.dumps(said_of_all(options.child, programs)))
        return
    said = {tool: in_child(tool, options.only) for tool in TOOLS.values()}
    for program in programs:
        print(f"== {program.slug}")
        for name, tool in TOOLS.items():
            text = said[tool][program.slug].strip()
            print(f"-- {name}: {verdict(text, program)}{f'\n{text}' if text else ''}")
    if options.page:
        Path(options.page).write_text(page(programs, said))


if __name__ == "__main__":
    main()
