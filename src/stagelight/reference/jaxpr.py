"""Jaxprs: the staged program, as a list of equations over variables.

Follows ``Jaxpr``, ``JaxprEqn`` and ``Literal`` in ``jax/_src/core.py``. All are compared by identity.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from stagelight.reference.aval import Aval


@dataclass(eq=False, slots=True)
class Variable:
    """The result of an equation, an input or a constant."""

    aval: Aval


@dataclass(eq=False, slots=True)
class Literal:
    """A scalar written into an equation."""

    aval: Aval
    value: Any

    @property
    def text(self) -> str:
        """The number as it was written."""
        return str(np.asarray(self.value.source).item())


type Atom = Variable | Literal


@dataclass(eq=False, slots=True)
class Equation:
    """One primitive applied to atoms."""

    primitive: Any
    inputs: list[Atom]
    outputs: list[Variable]
    params: dict[str, Any]


@dataclass(eq=False, slots=True)
class Jaxpr:
    """A staged function: constants it captured and their values, inputs, equations, outputs."""

    constants: list[Variable]
    values: list[Any]
    inputs: list[Variable]
    equations: list[Equation]
    outputs: list[Any]

    @property
    def in_avals(self) -> list[Aval]:
        """The avals of the inputs."""
        return [variable.aval for variable in self.inputs]

    @property
    def out_avals(self) -> list[Aval]:
        """The avals of the outputs."""
        return [atom.aval for atom in self.outputs]

    def with_constants_first(self) -> "Jaxpr":
        """The same program with its constants as leading inputs, as loops and branches take them."""
        return Jaxpr([], [], self.constants + self.inputs, self.equations, self.outputs)
