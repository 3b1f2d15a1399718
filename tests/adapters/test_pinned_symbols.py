"""Every symbol of JAX's insides that the recorder touches, by file and name: a JAX that moves one fails here first."""

import importlib
import inspect

import pytest

jax = pytest.importorskip("jax")

# (module, symbol, leading parameters)
FUNCTIONS = [
    ("jax._src.pjit", "_trace_for_jit", ("fun", "ji", "ctx_mesh", "dbg", "avals", "args", "kwargs")),
    ("jax._src.pjit", "_run_python_pjit", ("p", "args_flat", "fun", "args", "kwargs")),
    ("jax._src.pjit", "make_jit", ("fun",)),
    ("jax._src.pjit", "jit_evict_fn", ("self",)),
    ("jax._src.cache_key", "_log_cache_key_hash", ("hash_obj", "last_serialized", "hashfn")),
    ("jax._src.util", "register_cache", ("cache", "for_what")),
    ("jax._src.util", "test_event", ("name",)),
    ("jax._src.traceback_util", "register_exclusion", ("path",)),
    ("jax._src.source_info_util", "register_exclusion", ("path",)),
]


@pytest.mark.parametrize(("module", "symbol", "parameters"), FUNCTIONS, ids=lambda v: v if isinstance(v, str) else "")
def test_a_private_function_is_where_it_was_and_takes_what_it_took(module, symbol, parameters):
    function = getattr(importlib.import_module(module), symbol)
    assert tuple(inspect.signature(function).parameters)[: len(parameters)] == parameters


def test_jax_src_util_has_a_slot_for_a_test_event_listener():
    from jax._src import util

    assert hasattr(util, "test_event_listener")


def test_jax_src_config_gives_the_trace_context():
    from jax._src import config

    assert isinstance(config.trace_context(), tuple)


def test_jaxlib_pytreedef_getstate_is_a_post_order_list_of_six():
    treedef = jax.tree_util.tree_structure({"a": [1, None], "b": (2,)})
    nodes = treedef.__getstate__()[1]
    assert [(n[0], n[1]) for n in nodes] == [(0, 0), (1, 0), (4, 2), (0, 0), (2, 1), (5, 2)]
    assert all(len(n) == 6 for n in nodes)


def test_jaxlib_pjit_function_cache_can_be_emptied_without_a_retrace():
    from stagelight.adapters.fast_path import empty_fast_path

    ran = []
    double = jax.jit(lambda x: ran.append(1) or x * 2)
    double(1.0)
    assert empty_fast_path()
    double(1.0)
    assert ran == [1]


def test_jax_src_pjit_infer_params_keeps_the_names_that_the_hook_reads():
    from jax._src import pjit

    names = pjit._infer_params.__code__.co_varnames + pjit._infer_params.__code__.co_cellvars
    assert {"arg_signature", "dynargs"} <= set(names)


def test_monitoring_events_have_the_names_that_the_hooks_hear():
    from jax._src import dispatch

    assert dispatch.JAXPR_TO_MLIR_MODULE_EVENT == "/jax/core/compile/jaxpr_to_mlir_module_duration"
    assert dispatch.BACKEND_COMPILE_EVENT == "/jax/core/compile/backend_compile_duration"


def test_jax_src_core_equations_carry_a_traceback_with_raw_frames():
    jaxpr = jax.make_jaxpr(lambda x: x * 2)(1.0)
    codes, instructions = jaxpr.eqns[0].source_info.traceback.raw_frames()
    assert len(codes) == len(instructions) > 0
