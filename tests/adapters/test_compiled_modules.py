"""The module that is compiled: ``jax/_src/compiler.py: compile_or_get_cached``."""

import inspect

import jax
from jax._src import compiler

from stagelight.adapters.compiled_modules import COMPILE_PARAMETERS, module_text


def test_jax_src_compiler_compile_or_get_cached_takes_what_it_took():
    parameters = tuple(inspect.signature(compiler.compile_or_get_cached).parameters)
    assert parameters[: len(COMPILE_PARAMETERS)] == COMPILE_PARAMETERS


def test_a_module_is_printed_whole_with_its_locations():
    text = module_text(jax.jit(lambda x: x * 2).lower(1.0).compiler_ir())
    assert "stablehlo.multiply" in text
    assert "test_compiled_modules.py" in text
