"""Functions and classes of the checked program, found in their modules."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stagelight.lint.module_index import ModuleIndex
    from stagelight.lint.scope import Scope

type FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Parameters:
    """The parameters of one function, by how they may be passed."""

    def __init__(self, arguments: ast.arguments) -> None:
        self.positional_only = tuple(a.arg for a in arguments.posonlyargs)
        self.positional = tuple(a.arg for a in (*arguments.posonlyargs, *arguments.args))
        self.keyword_only = tuple(a.arg for a in arguments.kwonlyargs)
        self.star = arguments.vararg.arg if arguments.vararg else None
        self.double_star = arguments.kwarg.arg if arguments.kwarg else None
        self.nodes = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        positional_defaults = zip(self.positional[::-1], arguments.defaults[::-1], strict=False)
        keyword_defaults = zip(self.keyword_only, arguments.kw_defaults, strict=True)
        self.defaults: dict[str, ast.expr] = dict(positional_defaults)
        self.defaults.update({name: default for name, default in keyword_defaults if default is not None})

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every named parameter, the stars left out."""
        return (*self.positional, *self.keyword_only)


class FunctionDefinition:
    """A function, method or lambda of the program."""

    def __init__(
        self,
        node: FunctionNode,
        module: ModuleIndex,
        *,
        owner: ClassDefinition | None = None,
        scope: Scope | None = None,
    ) -> None:
        self.node = node
        self.module = module
        self.owner = owner
        self.scope = scope
        plain = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        self.plain_name = plain
        self.name = f"{owner.name}.{plain}" if owner else plain

    @cached_property
    def parameters(self) -> Parameters:
        """Its parameters, read once."""
        return Parameters(self.node.args)

    @cached_property
    def decorators(self) -> list[ast.expr]:
        """Its decorators, outermost first; a lambda has none."""
        return [] if isinstance(self.node, ast.Lambda) else self.node.decorator_list

    @cached_property
    def is_abstract(self) -> bool:
        """Whether its body stands for that of a subclass, so that it says nothing of what a call gives."""
        if isinstance(self.node, ast.Lambda):
            return False
        names = [d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "") for d in self.decorators]
        body = [s for s in self.node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        only_raises = len(body) == 1 and isinstance(body[0], ast.Raise) and self.owner is not None
        return "abstractmethod" in names or "overload" in names or not body or only_raises

    @cached_property
    def is_generator(self) -> bool:
        """Whether its own body yields; yields of inner functions do not count."""
        if isinstance(self.node, ast.Lambda) or "yield" not in self.module.source.text:
            return False
        return "yield" in self.module.segment(self.node) and any(_yields(s) for s in self.node.body)

    @property
    def takes_self(self) -> bool:
        """Whether the first parameter is the object of a method."""
        return self.owner is not None and self.parameters.positional[:1] in (("self",), ("cls",))


class ClassDefinition:
    """A class of the program: its methods and annotated fields."""

    def __init__(self, node: ast.ClassDef, module: ModuleIndex) -> None:
        self.node = node
        self.module = module
        self.name = node.name
        self.methods: dict[str, FunctionDefinition] = {}
        self.fields: dict[str, ast.AnnAssign] = {}
        self.assigned: dict[str, ast.expr] = {}
        for child in node.body:
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.methods[child.name] = FunctionDefinition(child, module, owner=self)
            elif isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name):
                self.fields[child.target.id] = child
            elif isinstance(child, ast.Assign):
                self.assigned.update({t.id: child.value for t in child.targets if isinstance(t, ast.Name)})


def _yields(node: ast.AST) -> bool:
    if isinstance(node, (ast.Yield, ast.YieldFrom)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
        return False
    return any(_yields(child) for child in ast.iter_child_nodes(node))
