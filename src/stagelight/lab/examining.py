"""Run a learner's program under the ledger, then question and check it. Happens in a child process only."""

import contextlib
import io
import json
import linecache
import os
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from stagelight import __version__
from stagelight.adapters.installation import jaxlib_version
from stagelight.lab.checker_seal import CheckerSeal
from stagelight.lab.ledger_view import LedgerView, counts_since, plain_value, questions_about
from stagelight.model.examination import Answered, Asked, Examination, FigureAsked, Piece, Raised, Request, Surroundings
from stagelight.model.explanation import Explanation
from stagelight.recorder.session import Options, Session

KEPT_OUTPUT = 64_000


class Heard(io.TextIOBase):
    """Standard output that is passed on and remembered, up to a limit."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._kept: list[str] = []
        self._length = 0

    def write(self, text: str) -> int:
        """Pass text on."""
        self._stream.write(text)
        if self._length < KEPT_OUTPUT:
            self._kept.append(text[: KEPT_OUTPUT - self._length])
            self._length += len(text)
        return len(text)

    def flush(self) -> None:
        """Pass on what waits."""
        self._stream.flush()

    def fileno(self) -> int:
        """The file below."""
        return self._stream.fileno()

    def text(self) -> str:
        """What was written."""
        return "".join(self._kept)


def examine(request: Request) -> Examination:
    """Run, question and check a program in this process.

    Args:
        request: What to run.
    """
    began = time.perf_counter()
    seal = CheckerSeal()
    with tempfile.TemporaryDirectory(prefix="stagelight-lab-") as folder:
        session = Session(Path(folder, "ledger.jsonl"), Options(calls=True, program=(request.file,)))
        view = LedgerView(session)
        session.start()
        with _main_module(request.file) as module:
            found = _ran(request, module, session, view)
            found["changed_checker"] = seal.broken()
    return Examination(**found, surroundings=surroundings(), seconds=time.perf_counter() - began)


def _ran(request: Request, module: ModuleType, session: Session, view: LedgerView) -> dict[str, Any]:
    watched = [piece for piece in request.pieces if piece.role != "experiment"]
    apart = [piece for piece in request.pieces if piece.role == "experiment"]
    known = set(vars(module))
    outputs: list[str] = []
    error = _run_pieces(watched, request.file, module, outputs)
    functions = view.functions()
    check_error = None
    evidence: dict[str, Any] = {}
    if error is None and request.check:
        check_error = _checked(request, module, view, "".join(outputs), evidence)
    checked = counts_since(functions, view.functions())
    session.stop(error or check_error)
    view.finish()
    raised = _raised(error, "program", request, view) or _raised(check_error, "check", request, view)
    scope = {**vars(module), **questions_about(lambda: functions, view), "output": "".join(outputs)}
    answers = tuple(answered(one, scope) for one in request.questions) if error is None else ()
    explanations = tuple(_explained(one, scope) for one in request.figures) if error is None else ()
    if error is None:
        raised = raised or _raised(_run_pieces(apart, request.file, module, outputs), "program", request, view)
    return {
        "outputs": tuple(outputs),
        "defined": tuple(name for name in vars(module) if name not in known),
        "raised": raised,
        "functions": functions,
        "checked": checked,
        "advisories": view.advisories(),
        "answers": answers,
        "explanations": explanations,
        "evidence": json.dumps(plain_value(evidence)) if evidence else "",
    }


@contextlib.contextmanager
def _main_module(file: str) -> Iterator[ModuleType]:
    """The module that the program runs as: ``__main__``, as if it had been started itself."""
    module = ModuleType("__main__")
    module.__dict__.update(__file__=file, __builtins__=__builtins__, __doc__=None)
    before = sys.modules["__main__"], sys.path[0], sys.argv
    sys.modules["__main__"], sys.path[0], sys.argv = module, os.path.dirname(file), [file]
    try:
        yield module
    finally:
        sys.modules["__main__"], sys.path[0], sys.argv = before


def _run_pieces(pieces: list[Piece], file: str, module: ModuleType, outputs: list[str]) -> BaseException | None:
    if not pieces:
        return None
    _remember_source(file, pieces)
    for piece in pieces:
        heard = Heard(sys.stdout)
        try:
            code = compile("\n" * (piece.line - 1) + piece.code, file, "exec", dont_inherit=True)
            with contextlib.redirect_stdout(heard):  # pyright: ignore[reportArgumentType]
                exec(code, module.__dict__)
        except SystemExit as ended:
            if ended.code not in (None, 0):
                return ended
        except BaseException as error:
            return error
        finally:
            outputs.append(heard.text())
    return None


def _remember_source(file: str, pieces: list[Piece]) -> None:
    """Let tracebacks and ``inspect`` see the text that runs, whatever becomes of the file."""
    lines: list[str] = list(linecache.cache[file][2]) if file in linecache.cache else []  # pyright: ignore
    for piece in pieces:
        lines += ["\n"] * (piece.line - 1 - len(lines)) + piece.code.splitlines(keepends=True)
    linecache.cache[file] = (sum(map(len, lines)), None, lines, file)


def _checked(
    request: Request, module: ModuleType, view: LedgerView, output: str, evidence: dict[str, Any]
) -> BaseException | None:
    before = view.functions()
    scope: dict[str, Any] = {"__name__": "__check__", "learner": module, "output": output, "evidence": evidence}
    scope["kept"] = json.loads(request.kept) if request.kept else {}
    scope.update(_libraries(), **questions_about(lambda: counts_since(before, view.functions()), view))
    file = request.check_file
    lines = request.check.splitlines(keepends=True)
    linecache.cache[file] = (len(request.check), None, lines, file)
    try:
        exec(compile(request.check, file, "exec", dont_inherit=True), scope)
    except BaseException as error:
        return error
    return None


def _libraries() -> dict[str, Any]:
    import jax
    import jax.numpy as jnp
    import numpy as np

    import stagelight

    return {"jax": jax, "jnp": jnp, "np": np, "stagelight": stagelight}


def answered(asked: Asked, scope: Mapping[str, Any]) -> Answered:
    """The value of an expression.

    Args:
        asked: The expression.
        scope: Names that it may use, beside JAX, NumPy and Stagelight.
    """
    try:
        value = plain_value(eval(asked.expression, {**_libraries(), **scope}))
        return Answered(id=asked.id, value=json.dumps(value))
    except Exception as error:
        return Answered(id=asked.id, error=f"{type(error).__name__}: {error}")


def _explained(asked: FigureAsked, scope: Mapping[str, Any]) -> Explanation:
    from stagelight.staging.explaining import explain

    explained: Callable[..., Explanation] = explain(scope[asked.function])
    return eval(f"_explained({asked.call})", {**_libraries(), **scope, "_explained": explained})


def _raised(error: BaseException | None, where: Any, request: Request, view: LedgerView) -> Raised | None:
    if error is None:
        return None
    line, text = _place(error, request)
    failure = view.last_failure()
    if failure is not None and failure.error != type(error).__name__:
        failure = None
    is_assertion = where == "check" and isinstance(error, AssertionError) and _is_checks_own(error, request.check_file)
    return Raised(
        where=where,
        error=type(error).__name__,
        message=str(error).strip(),
        line=(failure.site.line if failure is not None and failure.site.file == request.file else 0) or line,
        text=text,
        slug=failure.slug if failure is not None else "",
        expression=failure.expression if failure is not None else "",
        arguments=failure.arguments if failure is not None else (),
        is_assertion=is_assertion,
    )


def _place(error: BaseException, request: Request) -> tuple[int, str]:
    """The innermost line of the learner's file."""
    if isinstance(error, SyntaxError) and error.filename == request.file:
        return error.lineno or 0, (error.text or "").strip()
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename == request.file]
    return (frames[-1].lineno or 0, frames[-1].line or "") if frames else (0, "")


def _is_checks_own(error: BaseException, check_file: str) -> bool:
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and frames[-1].filename == check_file


def surroundings() -> Surroundings:
    """Versions and devices of this process."""
    import jax

    return Surroundings(
        python=platform.python_version(),
        jax=jax.__version__,
        jaxlib=jaxlib_version(),
        stagelight=__version__,
        platform=f"{platform.system()} {platform.machine()}",
        backend=jax.default_backend(),
        devices=tuple(str(device.device_kind) for device in jax.devices()),
    )
