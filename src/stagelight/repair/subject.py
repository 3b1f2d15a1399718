"""The function to repair: its file, its module, its example call, and how versions of it are traced."""

import ast
import contextlib
import inspect
import io
import types
from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp

from stagelight.adapters.failure_site import failure_site
from stagelight.adapters.private_tracing import private_tracing
from stagelight.errors import UsageError
from stagelight.model.event import Failure
from stagelight.repair.failing import Failing
from stagelight.repair.jit_options import static_names
from stagelight.repair.names import JaxNames
from stagelight.repair.rebuilt import Rebuilt
from stagelight.repair.refusal import Refusal
from stagelight.repair.source_text import SourceText
from stagelight.staging.instrumented_source import source_text
from stagelight.staging.trace_target import trace_target


class Subject:
    """One function with one example call.

    Args:
        function: The function, jitted or not; it stands at the top level of its module.
        arguments: Positional arguments of the example.
        keywords: Keyword arguments of the example.
        static: Static arguments, in addition to those that its own decorator names.

    Raises:
        UsageError: The call does not fit the function.
        Refusal: The function cannot be run apart from what is around it.
    """

    def __init__(
        self, function: object, arguments: Sequence[object], keywords: Mapping[str, object], static: Sequence[str] = ()
    ):
        self.function: types.FunctionType = trace_target(function, static).function
        self.file = self.function.__code__.co_filename
        self.text = source_text(self.file)
        self.name = self.function.__qualname__
        self.definition = self._definition()
        self.static = tuple(dict.fromkeys([*static_names(self.definition), *static]))
        self.parameters, self.example = _bound(self.function, arguments, keywords)
        self.functions = [self.name]

    @property
    def namespace(self) -> dict[str, object]:
        """Globals of the module."""
        return self.function.__globals__

    def names(self) -> JaxNames:
        """How the module writes JAX, with a fresh list of what it lacks."""
        return JaxNames(self.namespace)

    def _definition(self) -> ast.FunctionDef:
        if "." in self.name:
            reason = f"{self.name} is defined inside something else: only functions of a module are repaired"
            raise Refusal(reason)
        tree = SourceText(self.text).tree
        found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == self.name]
        if len(found) != 1:
            reason = f"{self.name} is not defined once, by def, at the top level of {self.file}"
            raise Refusal(reason)
        return found[0]

    def definitions(self) -> list[ast.FunctionDef]:
        """The functions that take part, as they stand in the file."""
        tree = SourceText(self.text).tree
        return [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name in self.functions]

    def rebuilt(self, text: str, extra: Mapping[str, object] = {}) -> Rebuilt:
        """A version of the functions that take part."""
        return Rebuilt(text, self.functions, self.namespace, extra)

    def failing(self, text: str, static: Sequence[str]) -> Failing | Failure | None:
        """Where a version fails to trace; a failure without a place in the file; or None where it traces.

        Helpers of the same file that take part in a failure are rebuilt from then on.

        Raises:
            Refusal: It fails in another file.
        """
        for _ in range(4):
            rebuilt = self.rebuilt(text)
            error = self._trace_error(rebuilt, static)
            if error is None:
                return None
            helpers = [n for n in _functions_in(error, self.file) if n not in self.functions]
            if not helpers:
                return self._placed(error, rebuilt, text)
            self.functions += helpers
        reason = "the failing helpers could not be followed"
        raise Refusal(reason)

    def _trace_error(self, rebuilt: Rebuilt, static: Sequence[str]) -> Exception | None:
        numbers = tuple(i for i, name in enumerate(self.parameters[: len(self.example)]) if name in static)
        given = [a if i in numbers else as_arrays(a) for i, a in enumerate(self.example)]
        try:
            with private_tracing(), contextlib.redirect_stdout(io.StringIO()):
                jax.jit(rebuilt.call, static_argnums=numbers).trace(*given)
        except Exception as error:
            return error
        return None

    def _placed(self, error: Exception, rebuilt: Rebuilt, text: str) -> Failing | Failure:
        failure = failure_site(error, is_own=lambda file: file == rebuilt.file)
        if not failure.site.file or not failure.column:
            return failure
        source = SourceText(text)
        node = next(
            (
                n
                for n in source.on_line(failure.site.line)
                if source.column_of(n) == failure.column and source.line_of_text(n) == failure.expression
            ),
            None,
        )
        function = next((n for n in source.ancestors(node) if isinstance(n, ast.FunctionDef)), None) if node else None
        if node is None or function is None:
            return failure
        return Failing(
            source=source,
            node=node,
            function=function,
            failure=failure,
            names=self.names(),
            is_entry=function.name == self.name,
        )


def _functions_in(error: BaseException, file: str) -> list[str]:
    """Functions of a file that take part in an error."""
    found, traceback = [], error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == file:
            found.append(code.co_qualname.split(".")[0])
        traceback = traceback.tb_next
    return list(dict.fromkeys(found))


def as_arrays(value: object) -> object:
    """Numbers as JAX sees them under ``jit``."""
    return jax.tree_util.tree_map(
        lambda leaf: jnp.asarray(leaf) if isinstance(leaf, bool | int | float) else leaf, value
    )


def _bound(
    function: types.FunctionType, arguments: Sequence[object], keywords: Mapping[str, object]
) -> tuple[tuple[str, ...], tuple[object, ...]]:
    """Names of the parameters, and the example's values for the first of them, in order."""
    signature = inspect.signature(function)
    if any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in signature.parameters.values()):
        reason = "only functions with ordinary parameters are repaired, not *args, **kwargs or keyword-only ones"
        raise Refusal(reason)
    try:
        bound = signature.bind(*arguments, **keywords)
    except TypeError as error:
        message = f"the example call does not fit {function.__qualname__}{signature}: {error}"
        raise UsageError(message) from error
    names = tuple(signature.parameters)
    given = bound.arguments
    last = max((i for i, name in enumerate(names) if name in given), default=-1)
    values = [given.get(n, signature.parameters[n].default) for n in names[: last + 1]]
    return names, tuple(values)
