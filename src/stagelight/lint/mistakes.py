"""Check one module: interpret it over abstract values and let the rules speak."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable

import msgspec

from stagelight.lint.decorations import decorations_of
from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
from stagelight.lint.entries import STAGING_WORDS, enter_module_function
from stagelight.lint.events import ClassRead, Event, HostRead
from stagelight.lint.interpreter import EXPRESSIONS, STATEMENTS
from stagelight.lint.machine import Machine
from stagelight.lint.module_index import ModuleIndex
from stagelight.lint.program import Program
from stagelight.lint.proved_times import binding_time_of, later_time
from stagelight.lint.rule import Rule
from stagelight.lint.rule_table import RULES
from stagelight.lint.scope import Scope
from stagelight.lint.source_module import SourceModule
from stagelight.lint.spans import span_of
from stagelight.lint.tracing_context import Context
from stagelight.lint.transformations import Staging
from stagelight.lint.values import Closure, Transformed, Value
from stagelight.model.binding_time import BindingTime
from stagelight.model.finding import Finding, Span

_DEEPEST_INTERPRETATION = 12_000
_MENTIONS_JAX = re.compile(r"\b(?:jax|flax|equinox|haiku|optax|numpyro|\w*jit|jnp|nnx|eqx)\b")


class Mistakes(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in one module, and on which other modules that depends.

    Attributes:
        findings: in the order of the text; some may lie in modules that this one calls.
        asked: names of the modules that were looked up, found or not.
    """

    findings: tuple[Finding, ...]
    asked: frozenset[str]


def find_mistakes(
    module: SourceModule,
    program: Program,
    *,
    rules: tuple[Rule, ...] = RULES,
    assume_traced: tuple[str, ...] = (),
) -> Mistakes:
    """Return the staging mistakes that are proved in one module.

    Args:
        module: the module to check.
        program: the modules that can be reached from it; it keeps what it parsed, so share one for many calls.
        rules: the rules that speak.
        assume_traced: patterns of dotted function names that are traced from outside (``pkg.layers.*``).

    Raises:
        SyntaxError: the text is not Python.
        RecursionError: it is nested too deeply.

    >>> source = "import jax\\n@jax.jit\\ndef f(x):\\n    return x if x > 0 else -x\\n"
    >>> module = SourceModule(name="m", path="m.py", text=source)
    >>> [f.slug for f in find_mistakes(module, Program(lambda name: None)).findings]
    ['traced-condition']
    """
    if not assume_traced and not _MENTIONS_JAX.search(module.text):
        program.add(module)
        return Mistakes(findings=(), asked=frozenset())
    program.asked.clear()
    index = program.add(module)
    machine = Machine(
        program,
        index,
        rules=rules_by_event(rules),
        expressions=EXPRESSIONS,
        statements=STATEMENTS,
        assume_traced=assume_traced,
    )
    _interpret(machine, index)
    findings = sorted(machine.findings.values(), key=lambda f: (f.file, f.span, f.slug))
    return Mistakes(findings=tuple(findings), asked=frozenset(program.asked))


def binding_times(module: SourceModule, program: Program) -> dict[Span, BindingTime | None]:
    """Return the binding time that the analysis proves for every expression it reaches inside a trace.

    None stands for "nothing proved"; expressions that no trace reaches are absent; where several contexts reach one,
    the later time counts. This is what is compared with observation.
    """
    index = program.add(module)
    times: dict[Span, BindingTime | None] = {}

    def observe(context: Context, node: ast.expr, value: Value) -> None:
        if context.is_staged and context.module is index:
            span = span_of(node, index.lines)
            time = binding_time_of(value)
            times[span] = later_time(times[span], time) if span in times else time

    machine = Machine(program, index, rules={}, expressions=EXPRESSIONS, statements=STATEMENTS, observe=observe)
    _interpret(machine, index)
    return times


def rules_by_event(rules: Iterable[Rule]) -> dict[type[Event], tuple[Rule, ...]]:
    """Return the rules that listen to each class of event, in the order of the table."""
    table: dict[type[Event], tuple[Rule, ...]] = {}
    for rule in rules:
        for event in rule.events:
            table[event] = (*table.get(event, ()), rule)
    return table


def _interpret(machine: Machine, index: ModuleIndex) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEPEST_INTERPRETATION))
    try:
        context = Context(module=index)
        scope = Scope()
        machine.execute(index.tree.body, scope, context)
        words = _words(machine, index)
        for function in _functions(index):
            enter_module_function(machine, function, words)
        for definition in index.classes.values():
            machine.emit(ClassRead(node=definition.node, context=context, definition=definition))
        machine.emit(HostRead(node=index.tree, context=context, module=index, function=None, scope=scope))
    finally:
        sys.setrecursionlimit(limit)


def _functions(index: ModuleIndex) -> list[FunctionDefinition]:
    methods = [m for definition in index.classes.values() for m in definition.methods.values()]
    return sorted((*index.functions.values(), *methods), key=lambda f: f.node.lineno)


def _words(machine: Machine, index: ModuleIndex) -> re.Pattern[str]:
    """Return what makes a function worth reading on the host: staging words, and names of jitted functions."""
    with machine.without_calls():
        candidates = (*index.functions, *index.imports, *index.assigned)
        names = {name for name in candidates if _is_jitted(machine, index, name)}
    names |= {m.plain_name for c in index.classes.values() for m in c.methods.values() if _has_cache(machine, m)}
    if not names:
        return STAGING_WORDS
    return re.compile(f"{STAGING_WORDS.pattern}|" + r"\b(?:" + "|".join(sorted(map(re.escape, names))) + r")\b")


def _is_jitted(machine: Machine, index: ModuleIndex, name: str) -> bool:
    value = machine.global_value(index, name)
    if isinstance(value, Closure):
        return _has_cache(machine, value.function)
    return isinstance(value, Transformed) and value.transformation.staging is Staging.JIT


def _has_cache(machine: Machine, function: FunctionDefinition | ClassDefinition) -> bool:
    return isinstance(function, FunctionDefinition) and decorations_of(machine, function).of(Staging.JIT) is not None
