"""The machine that interprets a program over abstract values: its state, its dispatch, and its findings."""

from __future__ import annotations

import ast
import builtins
import contextlib
import fnmatch
from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING

from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
from stagelight.lint.module_index import ModuleIndex
from stagelight.lint.program import GlobalName, Program
from stagelight.lint.scope import Scope
from stagelight.lint.spans import shown_expression, span_of
from stagelight.lint.tracing_context import Context
from stagelight.lint.transformations import canonical_name
from stagelight.lint.values import CONSTANT, UNKNOWN, ClassValue, Closure, External, Instance, Sequence, Value
from stagelight.model.finding import Finding

if TYPE_CHECKING:
    from stagelight.lint.events import Event
    from stagelight.lint.rule import Draft, Rule

type Evaluate = Callable[[Machine, ast.expr, Scope, Context], Value]
type Execute = Callable[[Machine, ast.stmt, Scope, Context], bool]
type Observe = Callable[[Context, ast.expr, Value], None]

MOST_STEPS = 400_000
"""Statements interpreted for one checked module; beyond it the rest of its traces is left unread."""

_CONTAINER_CALLS = ("list", "dict", "set", "defaultdict", "deque", "OrderedDict", "Counter")


class Machine:
    """Interprets one checked module; made afresh for each, so that results do not depend on their order.

    Attributes:
        program: the modules that can be reached.
        root: the checked module.
        memo: what a call returned, by function and argument values.
        notes: what helpers have read once about a node, by kind and node.
        active: the functions being interpreted, outermost first.
        made: the fields of objects, by class and arguments.
        under_construction: the objects whose constructors are being interpreted.
        kept: what must live as long as the machine, because keys of the memo hold its identity.
        findings: by where they are and what they say, so that one mistake is told once.
    """

    def __init__(
        self,
        program: Program,
        root: ModuleIndex,
        *,
        rules: Mapping[type[Event], tuple[Rule, ...]],
        expressions: Mapping[type[ast.expr], Evaluate],
        statements: Mapping[type[ast.stmt], Execute],
        assume_traced: tuple[str, ...] = (),
        observe: Observe | None = None,
    ) -> None:
        self.program = program
        self.root = root
        self.assume_traced = assume_traced
        self.memo: dict[object, Value] = {}
        self.active: list[FunctionDefinition] = []
        self.findings: dict[tuple[object, ...], Finding] = {}
        self.notes: dict[object, object] = {}
        self.made: dict[object, dict[str, Value]] = {}
        self.under_construction: list[Instance] = []
        self.kept: list[object] = []
        self.steps = 0
        self._rules = rules
        self._expressions = expressions
        self._statements = statements
        self._observe = observe
        self._externals: dict[str, Value] = {}
        self._globals: dict[tuple[str, str], Value] = {}
        self._follows_calls = True

    def evaluate(self, node: ast.expr, scope: Scope, context: Context) -> Value:
        """Return the abstract value of an expression, announcing what happens inside it."""
        handler = self._expressions.get(type(node))
        if handler is None:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.evaluate(child, scope, context)
            return UNKNOWN
        value = handler(self, node, scope, context)
        if self._observe is not None:
            self._observe(context, node, value)
        return value

    def execute(self, body: list[ast.stmt], scope: Scope, context: Context) -> bool:
        """Interpret statements in order; True when control cannot reach what follows them."""
        for node in body:
            self.steps += 1
            if self.steps > MOST_STEPS:
                return True
            handler = self._statements.get(type(node))
            if handler is not None and handler(self, node, scope, context):
                return True
        return False

    def emit(self, event: Event) -> None:
        """Announce an event to the rules that listen to it."""
        context = event.context
        if context.is_quiet:
            return
        for rule in self._rules.get(type(event), ()):
            if rule.is_for_tests or not context.module.source.is_test:
                for draft in rule.find(event, self):
                    self._record(rule, draft, context)

    @contextlib.contextmanager
    def without_calls(self) -> Generator[None, None, None]:
        """Inside the block, module-level names are read without the calls that make their values."""
        kept = self._externals, self._globals, self._follows_calls
        self._externals, self._globals, self._follows_calls = {}, {}, False
        try:
            yield
        finally:
            self._externals, self._globals, self._follows_calls = kept

    def external(self, dotted: str) -> Value:
        """Return the value of a dotted name: a definition of the program, or something outside it."""
        value = self._externals.get(dotted)
        if value is None:
            value = self._value_of(self.program.find(dotted)) or External(
                canonical_name(self.program.outside_name(dotted))
            )
            self._externals[dotted] = value
        return value

    def global_value(self, module: ModuleIndex, name: str) -> Value:
        """Return what a module-level or builtin name means in a module."""
        key = (module.name, name)
        value = self._globals.get(key)
        if value is None:
            # A name that is defined by means of itself gets Unknown in the inner round.
            self._globals[key] = UNKNOWN
            value = self._globals[key] = self._resolved(module, name)
        return value

    def _resolved(self, module: ModuleIndex, name: str) -> Value:
        value = self._value_of(self.program.find_in(module, name))
        if value is not None:
            return value
        if name in module.imports:
            return self.external(module.imports[name])
        return External(f"builtins.{name}") if hasattr(builtins, name) else UNKNOWN

    def _value_of(self, definition: object) -> Value | None:
        match definition:
            case FunctionDefinition():
                return Closure(definition, definition.scope)
            case ClassDefinition():
                return ClassValue(definition)
            case GlobalName():
                return self._global_assignment(definition)
            case ModuleIndex():
                return External(definition.name)
            case _:
                return None

    def _global_assignment(self, definition: GlobalName) -> Value:
        # A name that is assigned more than once has no single value, and a reader may see any of them.
        if len(definition.assigned) != 1:
            return UNKNOWN
        expression = definition.assigned[0]
        value = self.evaluate(
            expression, Scope(), Context(module=definition.module, is_quiet=True, follows_calls=self._follows_calls)
        )
        if isinstance(value, Sequence) and value.is_list:
            return CONSTANT
        return value

    def is_global_container(self, module: ModuleIndex, name: str) -> bool:
        """Whether a module-level name holds a list, dictionary or set."""
        assigned = module.assigned.get(name, ())
        return any(
            isinstance(node, (ast.List, ast.Dict, ast.Set))
            or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CONTAINER_CALLS)
            for node in assigned
        )

    def class_named(self, module: ModuleIndex, node: ast.expr) -> ClassDefinition | None:
        """Return the class of the program that an expression at module level names."""
        value = self.evaluate(node, Scope(), Context(module=module, is_quiet=True))
        return value.definition if isinstance(value, ClassValue) else None

    def is_assumed_traced(self, function: FunctionDefinition) -> bool:
        """Whether the user said that functions of this name are traced from outside."""
        dotted = f"{function.module.name}.{function.name}"
        return any(fnmatch.fnmatchcase(dotted, pattern) for pattern in self.assume_traced)

    def _record(self, rule: Rule, draft: Draft, context: Context) -> None:
        module = context.module
        span = span_of(draft.node, module.lines)
        key = (rule.slug, module.path, span)
        if key in self.findings:
            return
        self.findings[key] = Finding(
            slug=rule.slug,
            file=module.path,
            span=span,
            message=draft.message,
            function=context.function.name if context.function else "<module>",
            expression=shown_expression(span, module.lines),
            arguments=tuple(sorted(draft.origins)),
            path=tuple(context.path()),
            hint=draft.hint,
            edits=draft.edits,
        )
