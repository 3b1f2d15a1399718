"""Jaxprs: the staged program, as a list of equations over variables.

Follows ``Jaxpr``, ``JaxprEqn`` and ``Literal`` in ``jax/_src/core.py``.
"""

from typing import Any

import numpy as np

from stagelight.reference.aval import Aval


class Variable:
    """The result of an equation, an input or a constant; compared by identity."""

    __slots__ = ("aval",)

    def __init__(self, aval: Aval) -> None:
        self.aval = aval


class Literal:
    """A scalar written into an equation."""

    __slots__ = ("aval", "value")

    def __init__(self, aval: Aval, value: Any) -> None:
        self.aval, self.value = aval, value

    @property
    def text(self) -> str:
        """The number as it was written."""
        return str(np.asarray(self.value.source).item())


type Atom = Variable | Literal


class Equation:
    """One primitive applied to atoms."""

    __slots__ = ("inputs", "outputs", "params", "primitive")

    def __init__(self, primitive: Any, inputs: list[Atom], outputs: list[Variable], params: dict[str, Any]) -> None:
        self.primitive, self.inputs, self.outputs, self.params = primitive, inputs, outputs, params


class Jaxpr:
    """A staged function: constants it captured, inputs, equations, outputs."""

    __slots__ = ("constants", "equations", "inputs", "outputs", "values")

    def __init__(
        self,
        constants: list[Variable],
        values: list[Any],
        inputs: list[Variable],
        equations: list[Equation],
        outputs: list[Atom],
    ) -> None:
        self.constants, self.values, self.inputs = constants, values, inputs
        self.equations, self.outputs = equations, outputs

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
