"""A traced function, told apart as a reader would: by where its code stands."""

from typing import Literal

import msgspec

type FunctionKind = Literal["function", "lambda", "method", "partial", "callable", "eager"]


class Function(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One function of the program: all objects made from the same code.

    Attributes:
        number: Number within the ledger.
        name: Plain name (``train_step``), or the primitive's name for an eager operation.
        qualname: Qualified name of the innermost code, through partials, methods and the wrappers of Flax and Equinox.
        module: Module that the code is defined in.
        file: Where it is defined; empty for eager operations.
        line: First line of its definition, 1-based (that of ``def``, decorators left out where known).
        kind: What kind of callable JAX was given.
        own: Whether it is the user's own code.
        parameters: Names of its parameters in order.
        wrapper: The filtered wrapper it was reached through (``nnx.jit``, ``eqx.filter_jit``, ``bucketed``), or empty.
    """

    number: int
    name: str
    qualname: str
    module: str = ""
    file: str = ""
    line: int = 0
    kind: FunctionKind = "function"
    own: bool = False
    parameters: tuple[str, ...] = ()
    wrapper: str = ""
