"""The modules of the checked program, parsed when first asked for, and what a dotted name means in them."""

from __future__ import annotations

import ast

import msgspec

from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
from stagelight.lint.module_index import ModuleIndex
from stagelight.lint.source_module import LookUp, SourceModule

_LONGEST_ALIAS_CHAIN = 6
_NEVER_PROGRAM = ("jax", "numpy", "flax", "equinox", "optax", "functools", "builtins", "typing", "math", "haiku")


class GlobalName(msgspec.Struct, frozen=True, eq=False):
    """A module-level name that is assigned, not defined."""

    module: ModuleIndex
    name: str
    assigned: tuple[ast.expr, ...]


type Definition = FunctionDefinition | ClassDefinition | ModuleIndex | GlobalName


class Program:
    """All modules that can be reached from the checked ones.

    ``asked`` holds every module name that was looked up since it was last cleared, whether found or not: a result
    depends on exactly these.
    """

    def __init__(self, look_up: LookUp) -> None:
        self._look_up = look_up
        self._modules: dict[str, ModuleIndex | None] = {}
        self.asked: set[str] = set()

    def add(self, source: SourceModule) -> ModuleIndex:
        """Parse a module that is given rather than looked up.

        Raises:
            SyntaxError: its text is not Python.
        """
        index = self._modules.get(source.name)
        if index is None or index.source != source:
            index = self._modules[source.name] = ModuleIndex(source)
        return index

    def module(self, name: str) -> ModuleIndex | None:
        """Return the module of a dotted name, or None when it is not part of the program or cannot be read."""
        if name.partition(".")[0] in _NEVER_PROGRAM:
            return None
        self.asked.add(name)
        if name not in self._modules:
            self._modules[name] = self._parsed(name)
        return self._modules[name]

    def _parsed(self, name: str) -> ModuleIndex | None:
        source = self._look_up(name)
        if source is None:
            return None
        try:
            return ModuleIndex(source)
        except (SyntaxError, RecursionError):
            return None

    def find(self, dotted: str, depth: int = 0) -> Definition | None:
        """Follow a dotted name through modules, re-exports and classes to its definition."""
        if depth > _LONGEST_ALIAS_CHAIN or dotted.partition(".")[0] in _NEVER_PROGRAM:
            return None
        before, _, name = dotted.rpartition(".")
        if not before:
            return self.module(dotted)
        holder = self.find(before, depth + 1)
        if isinstance(holder, ClassDefinition):
            return holder.methods.get(name)
        if holder is None:
            # A folder without an `__init__` file holds modules all the same.
            return self.module(dotted)
        if not isinstance(holder, ModuleIndex):
            return None
        return self.find_in(holder, name, depth) or self.module(dotted)

    def outside_name(self, dotted: str, depth: int = 0) -> str:
        """Return the name outside the program that a name of one of its modules was imported from."""
        before, _, name = dotted.rpartition(".")
        holder = self.find(before) if before and depth <= _LONGEST_ALIAS_CHAIN else None
        if isinstance(holder, ModuleIndex) and name in holder.imports:
            return self.outside_name(holder.imports[name], depth + 1)
        return dotted

    def find_in(self, module: ModuleIndex, name: str, depth: int = 0) -> Definition | None:
        """Return what a top-level name of a module means, its imports followed."""
        found = module.functions.get(name) or module.classes.get(name)
        if found is not None:
            return found
        imported = module.imports.get(name)
        if imported is not None:
            return self.find(imported, depth + 1)
        if name in module.assigned:
            return GlobalName(module, name, tuple(module.assigned[name]))
        for star in module.star_imports:
            source = self.module(star) if depth <= _LONGEST_ALIAS_CHAIN else None
            if source is not None and source is not module:
                found = self.find_in(source, name, depth + 1)
                if found is not None:
                    return found
        return None
