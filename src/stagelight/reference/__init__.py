"""The reference machine: the rules of staging written out as a program, held against JAX.

It traces, stages and runs functions by the rules that JAX follows, with NumPy for the arithmetic and no JAX at all,
and it can tell every step of a call. It never stands in for JAX: nothing of a user's program is computed by it.
"""

from stagelight.reference.aval import VERSION_RULES, VersionRule
from stagelight.reference.machine import Machine, numpy_namespace
from stagelight.reference.operand import Array, Operand
from stagelight.reference.staged_function import StagedFunction
from stagelight.reference.staging_error import NotModelledError

Operand.functions = numpy_namespace()

__all__ = ["VERSION_RULES", "Array", "Machine", "NotModelledError", "StagedFunction", "VersionRule"]
