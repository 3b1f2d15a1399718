"""Where the interpreter stands: on the host or inside a trace, and the calls that led there."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from stagelight.model.finding import PathStep

if TYPE_CHECKING:
    from stagelight.lint.definitions import FunctionDefinition
    from stagelight.lint.module_index import ModuleIndex


class Stage(enum.IntEnum):
    """How much is traced here."""

    HOST = 0
    """Plain Python: arrays are concrete."""
    BATCHED = 1
    """Inside ``vmap`` alone: mapped arguments, and what is computed from them, are tracers."""
    STAGED = 2
    """Inside ``jit``, ``scan`` and the like: the result of every JAX operation is a tracer."""


class CallStep(msgspec.Struct, frozen=True, eq=False):
    """One link of the chain of calls, innermost first."""

    step: PathStep
    outer: CallStep | None = None


class Context(msgspec.Struct, frozen=True, eq=False):
    """What holds for all code that is interpreted in one place.

    Attributes:
        module: the module whose code is interpreted.
        stage: how much is traced.
        function: the function whose body is interpreted; None at module level.
        transformation: the name of the transformation that starts the trace.
        calls: the chain of calls from there.
        depth: how many calls deep.
        is_quiet: findings are suppressed: behind a guard that asks whether the value is a tracer.
        loop_depth: how many Python loops surround the place on the host.
        follows_calls: calls are interpreted on the host too: where the value of a module-level name is asked for.
    """

    module: ModuleIndex
    stage: Stage = Stage.HOST
    function: FunctionDefinition | None = None
    transformation: str = ""
    calls: CallStep | None = None
    depth: int = 0
    is_quiet: bool = False
    loop_depth: int = 0
    follows_calls: bool = False

    @property
    def is_traced(self) -> bool:
        """Whether any value here can be a tracer."""
        return self.stage is not Stage.HOST

    @property
    def is_followed(self) -> bool:
        """Whether calls of the program's own functions are interpreted here."""
        return self.is_traced or self.follows_calls

    @property
    def is_staged(self) -> bool:
        """Whether the result of every JAX operation is a tracer."""
        return self.stage is Stage.STAGED

    def quieted(self) -> Context:
        """Return this context with findings suppressed."""
        return self if self.is_quiet else msgspec.structs.replace(self, is_quiet=True)

    def staged(self) -> Context:
        """Return this context with every JAX operation traced."""
        return self if self.is_staged else msgspec.structs.replace(self, stage=Stage.STAGED)

    def evaluating(self) -> Context:
        """Return this context with operations on concrete values computed at once."""
        return msgspec.structs.replace(self, stage=Stage.BATCHED) if self.is_staged else self

    def in_loop(self) -> Context:
        """Return this context one Python loop deeper."""
        return msgspec.structs.replace(self, loop_depth=self.loop_depth + 1)

    def path(self) -> Iterator[PathStep]:
        """Yield the steps from the entry point to here."""
        steps: list[PathStep] = []
        link = self.calls
        while link is not None:
            steps.append(link.step)
            link = link.outer
        yield from reversed(steps)
