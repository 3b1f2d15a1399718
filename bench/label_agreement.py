"""Do the labels that `check` proves agree with the binding times that `explain` observes?

Each program of `bench/label_programs` calls one package under jit. The package's own source is analysed without being
imported, and its functions are observed while JAX traces them; both speak of the same expressions. Informs the decision
that `check` may report what it proves to be data: it must be right 99.5 % of the time.

    python bench/label_agreement.py [NAME …] [--wrong] [--assume-traced]

Counted: claims "data" that hold data; claims "static, constant or metadata" that hold none; and, of the expressions
observed as data, those that carry the claim. An expression that runs in several contexts counts with its latest binding
time on both sides, which is what `explain` shows.
"""

import argparse
import ast
import collections
import functools
import importlib.util
import pathlib
import sys

import jax

from stagelight.lint.interpreter import EXPRESSIONS, STATEMENTS
from stagelight.lint.machine import Machine
from stagelight.lint.mistakes import _interpret
from stagelight.lint.program import Program
from stagelight.lint.proved_times import binding_time_of, later_time
from stagelight.lint.source_module import SourceModule
from stagelight.model.binding_time import BindingTime
from stagelight.staging.explaining import explain

FOLDER = pathlib.Path(__file__).parent / "label_programs"
PACKAGES = {
    "optax_updates": ("optax",),
    "equinox_layers": ("equinox",),
    "flax_modules": ("flax",),
    "blackjax_kernels": ("blackjax",),
    "numpyro_distributions": ("numpyro",),
    "diffrax_solves": ("diffrax",),
    "optimistix_solves": ("optimistix", "lineax"),
}
# `check` knows these packages by name and does not read them; under another name of the same length it does.
RENAMED = {"optax": "optbx", "equinox": "equinoy", "flax": "flbx"}


def renamed(text, packages, *, back=False):
    for old in packages:
        new = RENAMED.get(old, old)
        text = text.replace(new, old) if back else text.replace(old, new)
    return text


def look_up(name, packages):
    """The source of a module of the observed packages, under its other name."""
    real = renamed(name, packages, back=True)
    if real.partition(".")[0] not in packages:
        return None
    try:
        spec = importlib.util.find_spec(real)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return None
    text = renamed(pathlib.Path(spec.origin).read_text(encoding="utf-8"), packages)
    return SourceModule(name=name, path=spec.origin, text=text, is_package=bool(spec.submodule_search_locations))


def claimed(path, files, packages):
    """What `check` proves: (file, line, column, end line, end column) → binding time, or None where nothing is.

    The program is read from its entry points; then, if asked, each of the package's files by itself, its functions
    assumed traced.
    """
    program = Program(functools.partial(look_up, packages=packages))
    modules = [SourceModule(name=path.stem, path=str(path), text=renamed(path.read_text(encoding="utf-8"), packages))]
    modules += [
        found for name in module_names(files) if (found := look_up(renamed(name, packages), packages)) is not None
    ]
    claims = {}

    def observe(context, node, value):
        if context.is_staged:
            time = binding_time_of(value)
            place = (context.module.source.path, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            claims[place] = later_time(claims[place], time) if place in claims else time

    tables = {"rules": {}, "expressions": EXPRESSIONS, "statements": STATEMENTS, "observe": observe}
    assumed = tuple(f"{renamed(package, packages)}.*" for package in packages)
    for number, module in enumerate(modules):
        index = program.add(module)
        _interpret(Machine(program, index, assume_traced=assumed if number else (), **tables), index)
    return claims


def module_names(files):
    return sorted(name for name, module in sys.modules.items() if getattr(module, "__file__", None) in files)


def observed(path, packages):
    """What holds: the same places → whether each evaluation was data; and how many functions ran."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    seen = collections.defaultdict(list)
    for function, arguments in module.CALLS:
        explanation = explain(function, own=packages)(*arguments)
        assert explanation.failure is None, (path, explanation.failure)
        for part in explanation.functions:
            for label in part.spans:
                seen[place_of(part.file, part, label.span)].append(label.time)
    return seen


def place_of(file, part, span):
    lines = part.lines
    first, last = lines[span.line - part.first_line], lines[span.end_line - part.first_line]
    begin = len(first[: span.column - 1].encode())
    return (file, span.line, begin, span.end_line, len(last[: span.end_column - 1].encode()))


def compare(name, show_wrong, assume):
    path = FOLDER / f"{name}.py"
    seen = observed(path, PACKAGES[name])
    files = {place[0] for place in seen} - {str(path)} if assume else set()
    claims = claimed(path, files, PACKAGES[name])
    counts = collections.Counter()
    for place, times in seen.items():
        is_data = BindingTime.DATA in times
        claim = claims.get(place, "unreached")
        counts["data"] += is_data
        counts["data reached"] += is_data and claim != "unreached"
        if claim is BindingTime.DATA:
            counts["claims data"] += 1
            counts["right data"] += is_data
            counts["covered"] += is_data
        elif isinstance(claim, BindingTime):
            counts["claims other"] += 1
            counts["right other"] += not is_data
        if show_wrong and isinstance(claim, BindingTime) and (claim is BindingTime.DATA) != is_data:
            text = ast.get_source_segment(pathlib.Path(place[0]).read_text(), node_at(place))
            print(f"  {place[0]}:{place[1]}: {text!r}: claimed {claim}, observed {[t.value for t in times]}")
    counts["expressions"] = len(seen)
    return counts


def node_at(place):
    node = ast.Name("x")
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place[1:]
    return node


def share(part, whole):
    return f"{100 * part / whole:6.1f} %" if whole else "      –"


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("names", nargs="*", default=list(PACKAGES))
    ask.add_argument("--wrong", action="store_true", help="list the claims that do not hold")
    ask.add_argument("--assume-traced", action="store_true", help="take every function of the packages as traced")
    options = ask.parse_args()
    print(f"JAX {jax.__version__}, Python {sys.version.split()[0]}")
    head = ("expressions", 12), ("claims data", 13), ("right", 10), ("claims not", 12), ("right", 10)
    head += ("data seen", 11), ("reached", 10), ("covered", 10)
    print(f"{'program':24}" + "".join(f"{text:>{width}}" for text, width in head))
    total = collections.Counter()
    for name in options.names or list(PACKAGES):
        counts = compare(name, options.wrong, options.assume_traced)
        total.update(counts)
        print_row(name, counts)
    print_row("all", total)


def print_row(name, c):
    print(
        f"{name:24}{c['expressions']:12}{c['claims data']:13}{share(c['right data'], c['claims data']):>10}"
        f"{c['claims other']:12}{share(c['right other'], c['claims other']):>10}{c['data']:11}"
        f"{share(c['data reached'], c['data']):>10}{share(c['covered'], c['data']):>10}"
    )


if __name__ == "__main__":
    main()
