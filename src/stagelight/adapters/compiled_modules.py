"""See each module that is about to be compiled, or looked up in the persistent cache, and read its text.

Follows ``jax/_src/compiler.py: compile_or_get_cached``, which both go through, and ``Operation.get_asm`` of MLIR. The
module is printed and nothing else: its keys stay as they are.
"""

from typing import Any

from stagelight.adapters.protocol import Listener

COMPILE_PARAMETERS = ("backend", "computation", "devices", "compile_options")


def module_text(module: Any) -> str:
    """StableHLO of a module with its source locations, constants in full."""
    return module.operation.get_asm(enable_debug_info=True)


def compile_hook(listener: Listener) -> Any:
    """Makes a replacement of ``compile_or_get_cached`` that tells the listener of each module."""

    def make(original: Any) -> Any:
        def stagelight_compile(backend: Any, computation: Any, *args: Any, **options: Any) -> Any:
            try:
                listener.module_seen(module_text(computation))
            except Exception:
                listener.hook_failed("module_seen")
            return original(backend, computation, *args, **options)

        return stagelight_compile

    return make
