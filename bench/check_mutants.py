"""Seed staging mistakes, and tests that are no mistakes, into real packages, and count what `check` finds.

A mutant is one line put after an assignment `name = jnp.f(…)` or `name = lax.f(…)` in a function that the analysis
reaches in a trace; functions that it does not reach are not drawn. Four mistakes and three benign tests are seeded at
each place. Decides whether values are followed well enough. Usage: python bench/check_mutants.py FOLDER...
"""

import argparse
import ast
import random
from pathlib import Path

from stagelight.inspection.discovery import discover_files
from stagelight.inspection.module_lookup import ModuleLookup
from stagelight.inspection.source_file import module_name, read_source
from stagelight.lint.mistakes import binding_times, find_mistakes
from stagelight.lint.program import Program
from stagelight.lint.source_module import SourceModule

MISTAKES = {
    "traced-condition": "if {name}.sum() > 0: pass",
    "traced-concretize": "float({name})",
    "traced-bool-op": "_seeded = not {name}",
    "traced-setitem": "{name}[0] = 0",
}
BENIGN = ("if {name}.shape: pass", "if {name} is not None: pass", "if isinstance({name}, tuple): pass")


def places(source, program):
    """Yield (line, indent, name) of assignments in traced code whose value comes from a JAX call."""
    times = binding_times(source, program)
    reached = {(span.line, span.column) for span in times}
    for node in ast.walk(ast.parse(source.text)):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            continue
        value = node.value
        called = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
        is_metadata = called.endswith(("shape", "ndim", "dtype", "size", "finfo", "result_type"))
        if (
            called.startswith(("jnp.", "lax.", "jax.lax.", "jax.nn."))
            and not is_metadata
            and (value.lineno, value.col_offset + 1) in reached
        ):
            yield node.end_lineno, node.col_offset, node.targets[0].id


def mutated(source, line, indent, statement):
    lines = source.text.split("\n")
    lines.insert(line, " " * indent + statement)
    return SourceModule(
        name=source.name, path=source.path, text="\n".join(lines), is_package=source.is_package, is_test=source.is_test
    )


def findings_at(module, program, line):
    found = find_mistakes(module, program).findings
    return {f.slug for f in found if f.file == module.path and f.span.line == line + 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--places", type=int, default=40)
    parser.add_argument("--seed", type=int, default=20261129)
    options = parser.parse_args()
    candidates = []
    for folder in options.folders:
        for path in discover_files((str(folder),)):
            if path.suffix != ".py":
                continue
            try:
                source = read_source(path)
                program = Program(ModuleLookup(module_name(path)[1]))
                candidates.extend((path, *place) for place in places(source.module, program))
            except (SyntaxError, ValueError):
                continue
    random.Random(options.seed).shuffle(candidates)
    chosen = candidates[: options.places]
    found, flagged, missed = 0, 0, []
    for path, line, indent, name in chosen:
        source = read_source(path).module
        program = Program(ModuleLookup(module_name(path)[1]))
        for slug, template in MISTAKES.items():
            hit = slug in findings_at(mutated(source, line, indent, template.format(name=name)), program, line)
            found += hit
            if not hit:
                missed.append(f"  missed {slug} at {path.name}:{line} ({name})")
        for template in BENIGN:
            flagged += bool(findings_at(mutated(source, line, indent, template.format(name=name)), program, line))
    seeded, benign = len(chosen) * len(MISTAKES), len(chosen) * len(BENIGN)
    print(f"{len(candidates)} places in {len(options.folders)} packages, {len(chosen)} at random (seed {options.seed})")
    print(f"mistakes found: {found}/{seeded} ({found / seeded:.1%})")
    print(f"benign tests flagged: {flagged}/{benign}")
    print("\n".join(missed))


if __name__ == "__main__":
    main()
