"""Look for repairs of one function under one call, and offer those that were confirmed by running both sides."""

import ast
import contextlib
import io
import os
import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from stagelight.model.event import Failure
from stagelight.model.repair import Refused, Repair, RepairReport
from stagelight.repair.conditions import condition_around, nested_tests
from stagelight.repair.debug_print import print_of_arguments, print_with_debug_print
from stagelight.repair.equivalence import Sides, compared
from stagelight.repair.failing import Failing
from stagelight.repair.hoist import jit_hoisted
from stagelight.repair.jit_options import with_static
from stagelight.repair.names import with_imports
from stagelight.repair.purity import effect_of_function
from stagelight.repair.reference import Range, TruthRecorder, range_of, reference_names, reference_text
from stagelight.repair.refusal import NotApplicable, Refusal
from stagelight.repair.rewrites import Rewrite, rewrites_for
from stagelight.repair.scan import loop_with_scan
from stagelight.repair.source_text import SourceText, edits_between, unified_diff
from stagelight.repair.static_argument import require_static_sense, texts_compared
from stagelight.repair.subject import Subject, as_arrays
from stagelight.staging.call_text import call_text
from stagelight.staging.explaining import explain
from stagelight.staging.trace_target import trace_target

ROUNDS = 8
STATIC_TITLE = "make {names} static: one specialization for each value"
# jax/_src/api_util.py: a text or other object that is no array, given to a traced parameter
_NO_ARRAY = re.compile(r"passed to the function at path (\w+)")


def repair_report(
    function: object,
    arguments: Sequence[object] = (),
    keywords: Mapping[str, object] | None = None,
    *,
    static: Sequence[str] = (),
) -> RepairReport:
    """Look for repairs of a function that fails to trace, or that prints, unrolls or jits anew while it is traced.

    Each repair is spliced into the file's text, and run before it is offered: the original eagerly, the repaired
    function under ``jax.jit``, on generated inputs that drive every rewritten condition both ways; structure, shape,
    dtype, value and gradient must agree. What cannot be confirmed is refused, with the reason. Nothing is written.

    Args:
        function: A function of a module, jitted or not.
        arguments: Positional arguments of an example call.
        keywords: Keyword arguments of the example call.
        static: Static arguments, where the function's own decorator does not name them.

    Raises:
        UsageError: The call does not fit the function.
    """
    given = dict(keywords or {})
    target = trace_target(function).function
    call = call_text(target.__name__, arguments, given)
    blank = RepairReport(function=target.__qualname__, file=target.__code__.co_filename, call=call)
    try:
        subject = Subject(function, arguments, given, static)
        failing = subject.failing(subject.text, subject.static)
        return _Search(subject, failing).report(blank)
    except Refusal as refusal:
        return msgspec.structs.replace(blank, refused=(Refused(kind="any", reason=str(refusal)),))


class _Search:
    """All that is tried for one subject."""

    def __init__(self, subject: Subject, failing: Failing | Failure | None):
        self.subject = subject
        self.first = failing
        self.failure = failing.failure if isinstance(failing, Failing) else failing
        self.offered: list[Repair] = []
        self.refused: dict[tuple[str, str], None] = {}

    def report(self, blank: RepairReport) -> RepairReport:
        effect = next(filter(None, map(effect_of_function, self.subject.definitions())), "")
        if effect:
            self.refused["any", f"running it on trial inputs could do harm: {effect}"] = None
        elif self.failure is None:
            self._try("debug_print", self._prints)
            self._try("scan", self._scanned)
            self._try("hoist", self._hoisted)
        else:
            self._try("static", self._static)
            self._try_rewrites()
        return msgspec.structs.replace(
            blank,
            slug=self.failure.slug if self.failure else "",
            line=self.failure.site.line if self.failure else self.subject.definition.lineno,
            expression=self.failure.expression if self.failure else "",
            offered=tuple(self.offered),
            refused=tuple(Refused(kind=kind, reason=reason) for kind, reason in self.refused),
        )

    def _try(self, kind: str, attempt: Callable[[], Repair]) -> bool:
        """Offer what an attempt gives, or keep its reason; whether it is offered."""
        try:
            self.offered.append(attempt())
        except NotApplicable:
            return False
        except Refusal as refusal:
            self.refused[kind, str(refusal)] = None
            return False
        return True

    # --- static arguments

    def _static(self) -> Repair:
        names = self._blamed_parameters()
        example = dict(zip(self.subject.parameters, self.subject.example, strict=False))
        for name in names:
            require_static_sense(name, example[name])
        static = (*self.subject.static, *names)
        if self.subject.failing(self.subject.text, static) is not None:
            raise Refusal(f"it still fails with {', '.join(names)} static")
        text, title = self._static_text(static), STATIC_TITLE.format(names=", ".join(names))
        return self._confirmed("static", title, text, static, {})

    def _blamed_parameters(self) -> list[str]:
        assert self.failure is not None
        roots = [re.split(r"[\[.]", argument)[0] for argument in self.failure.arguments]
        no_array = _NO_ARRAY.search(self.failure.message)
        named = [*roots, no_array[1]] if no_array else roots
        found = [n for n in dict.fromkeys(named) if n in self.subject.parameters]
        slugs = {"shape-mismatch", "branch-types-differ", "carry-type-differs", "traced-setitem", "tracer-leak"}
        if not found or self.failure.slug in slugs:
            reason = "no argument is to blame"
            raise NotApplicable(reason)
        return found

    def _static_text(self, static: Sequence[str]) -> str:
        written = self.subject.names()
        partial = "functools.partial"
        for name, value in self.subject.namespace.items():
            if getattr(value, "__name__", "") == "partial" and getattr(value, "__module__", "") == "functools":
                partial = name
        text = with_static(self.subject.text, self.subject.definition, static, f"{written.jax}.jit", partial)
        if text is None:
            where = f"where {self.subject.name} is jitted, which is not its definition"
            reason = f"static_argnames={tuple(static)!r} belongs {where}"
            raise Refusal(reason)
        is_known = partial in self.subject.namespace or "functools" in self.subject.namespace
        imports = [] if is_known else ["import functools"]
        return with_imports(text, [*written.missing, *imports])

    # --- rewrites

    def _try_rewrites(self) -> None:
        assert self.failure is not None
        if not isinstance(self.first, Failing):
            return
        has_where = False
        for rewrite in rewrites_for(self.failure.slug):
            if rewrite.kind == "cond" and has_where:
                continue
            made = self._try(rewrite.kind, lambda rewrite=rewrite: self._rewritten(rewrite))
            has_where = has_where or (made and rewrite.kind == "where")

    def _rewritten(self, first: Rewrite) -> Repair:
        """Rewrite the failing expression, and what fails after it, until the function traces."""
        text, tests = self.subject.text, {}
        failing: Failing | Failure | None = self.first
        for number in range(ROUNDS):
            if failing is None:
                return self._confirmed(first.kind, first.title, text, self.subject.static, tests)
            if not isinstance(failing, Failing):
                raise Refusal(f"it then fails: {failing.message.splitlines()[0][:100]}")
            tests |= self._tests_of(failing)
            new = first.rewrite(failing) if number == 0 else _next_text(first, failing)
            text = with_imports(new, failing.names.missing)
            failing = self.subject.failing(text, self.subject.static)
        reason = f"it still fails after {ROUNDS} rewrites"
        raise Refusal(reason)

    def _tests_of(self, failing: Failing) -> dict[Range, str]:
        """The conditions of the original that a rewrite of this failure changes, and those nested in their branches."""
        owner = condition_around(failing)
        if owner is None:
            return {}
        wanted = failing.source.text_of(owner)
        original = SourceText(self.subject.text)
        found: dict[Range, str] = {}
        for node in ast.walk(original.tree):
            is_it = isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
            if is_it and original.text_of(node) == wanted and self._takes_part(node, original):
                found[range_of(node)] = wanted
                found |= nested_tests(original.parents[node], node, original)
        return found

    def _takes_part(self, node: ast.AST, source: SourceText) -> bool:
        around = [n.name for n in source.ancestors(node) if isinstance(n, ast.FunctionDef)]
        return bool(set(around) & set(self.subject.functions))

    # --- prints

    def _prints(self) -> Repair:
        source, names = SourceText(self.subject.text), self.subject.names()
        text, found = self.subject.text, 0
        while (call := print_of_arguments(source, self.subject.name)) is not None and found < ROUNDS:
            text = print_with_debug_print(source, call, names)
            source, found = SourceText(text), found + 1
        if not found:
            reason = "it traces, and prints nothing that comes from its arguments"
            raise NotApplicable(reason)
        text = with_imports(text, names.missing)
        title = "print with jax.debug.print: on every run, not only while tracing"
        return self._confirmed("debug_print", title, text, self.subject.static, {}, prints=True)

    # --- what traces, and costs

    def _scanned(self) -> Repair:
        names = self.subject.names()
        arrays = dict(zip(self.subject.parameters, self.subject.example, strict=False))
        text = loop_with_scan(SourceText(self.subject.text), self.subject.name, arrays, names)
        text = with_imports(text, names.missing)
        if self.subject.failing(text, self.subject.static) is not None:
            reason = "what the loop carries does not keep its type from round to round"
            raise Refusal(reason)
        return self._confirmed("scan", "loop with lax.scan: the body is traced once", text, self.subject.static, {})

    def _hoisted(self) -> Repair:
        text = jit_hoisted(SourceText(self.subject.text), self.subject.name, self.subject.namespace)
        title = "make the jitted function once: every call made a new one, and compiled it again"
        return self._confirmed("hoist", title, text, self.subject.static, {})

    # --- confirmation

    def _confirmed(
        self,
        kind: str,
        title: str,
        text: str,
        static: Sequence[str],
        tests: Mapping[Range, str],
        *,
        prints: bool = False,
    ) -> Repair:
        subject = self.subject
        recorder = TruthRecorder()
        with_assignments = self.failure is not None and self.failure.slug == "traced-setitem"
        reference = reference_text(subject.text, tests, with_assignments=with_assignments)
        original = subject.rebuilt(reference, reference_names(recorder))
        sides = Sides(
            original=original.call,
            repaired=subject.rebuilt(text).call,
            static=tuple(static),
            parameters=subject.parameters,
            example=subject.example,
            texts=texts_compared(subject),
            tests=tests,
            prints=prints,
        )
        coverage, cautions = compared(sides, recorder)
        _require_no_effects(sides, allow_prints=prints)
        return Repair(
            kind=kind,
            title=title,
            edits=edits_between(subject.text, text),
            diff=unified_diff(os.path.relpath(subject.file), subject.text, text),
            coverage=coverage,
            cautions=cautions,
        )


def _require_no_effects(sides: Sides, *, allow_prints: bool) -> None:
    """Look at a trace of the repaired function: there both sides of a branch run, and so does what a helper does."""
    arguments = [
        _without_numbers(a, name in sides.static) for a, name in zip(sides.example, sides.parameters, strict=False)
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        explanation = explain(sides.repaired, static_argnames=sides.static)(*arguments)
    effects = [e.text for f in explanation.functions for e in f.effects if not (allow_prints and e.text == "print")]
    if effects:
        raise Refusal(f"it has a side effect, which would happen for both branches: {effects[0]}")


def _without_numbers(value: object, is_static: bool) -> object:
    return value if is_static else as_arrays(value)


def _next_text(first: Rewrite, failing: Failing) -> str:
    """The text after the rewrite of a later failure: the same way where it fits, or another that does."""
    applicable = rewrites_for(failing.failure.slug)
    same = [r for r in applicable if r.kind == first.kind]
    reasons = []
    for rewrite in [*same, *(r for r in applicable if r not in same)]:
        try:
            return rewrite.rewrite(failing)
        except NotApplicable:
            continue
        except Refusal as refusal:
            reasons.append(str(refusal))
    raise Refusal(
        reasons[0] if reasons else f"it then fails at `{failing.failure.expression}` ({failing.failure.slug})"
    )
