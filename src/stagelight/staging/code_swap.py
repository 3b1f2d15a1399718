"""Give live functions their rewritten code, and their own code back.

A function keeps its identity, closure, defaults, decorators and wrappers: only ``__code__`` is exchanged, so that
whatever holds it (``jit``, a class, a registry) runs the rewritten form. No module is imported again.
"""

import builtins
import contextlib
import gc
import types
from collections.abc import Callable, Iterator, Mapping

from stagelight.staging.expression_rewriting import ENTER, HOOK
from stagelight.staging.instrumented_source import InstrumentedSource


@contextlib.contextmanager
def swapped_code(
    sources: Mapping[str, InstrumentedSource], value: Callable[[int, object], object], enter: Callable[[], None]
) -> Iterator[None]:
    """Run the rewritten form of all live functions of some files.

    Args:
        sources: Rewritten files by name.
        value: Called with an expression's number and value; what it returns is the expression's value.
        enter: Called at the start of every rewritten function.
    """
    builtins.__dict__[HOOK], builtins.__dict__[ENTER] = value, enter
    swapped: list[tuple[types.FunctionType, types.CodeType]] = []
    try:
        for function in _functions_of(sources):
            replacement = sources[function.__code__.co_filename].replacement_of(function.__code__)
            if replacement is not None:
                swapped.append((function, function.__code__))
                function.__code__ = replacement
        yield
    finally:
        for function, code in swapped:
            function.__code__ = code
        # Functions made meanwhile keep the rewritten code: from now on the hooks hand every value through.
        builtins.__dict__[HOOK], builtins.__dict__[ENTER] = _hand_through, _do_nothing


def _functions_of(sources: Mapping[str, InstrumentedSource]) -> list[types.FunctionType]:
    return [o for o in gc.get_objects() if type(o) is types.FunctionType and o.__code__.co_filename in sources]


def _hand_through(_number: int, value: object) -> object:
    return value


def _do_nothing() -> None:
    return None
