"""Accounts as a training run would give them, built from records."""

from stagelight.model.attribution import (
    Advisory,
    Cause,
    FailureFound,
    FunctionTotals,
    Specialization,
)
from stagelight.model.function import Function
from stagelight.model.ledger import Header
from stagelight.model.site import Site
from stagelight.report.account import (
    Account,
    AdvisoryGroup,
    CauseGroup,
    Example,
    FailureGroup,
    FunctionAccount,
    LedgerAccount,
    SpecializationSeen,
)
from stagelight.report.document import Lane, Span

FOLDER = "/home/ada/digits"
TRAIN = f"{FOLDER}/train.py"

STEP = Function(
    number=1, name="train_step", qualname="train_step", file=TRAIN, line=41, own=True, parameters=("model", "batch")
)
LOSS = Function(number=2, name="loss", qualname="epoch.<locals>.loss", file=TRAIN, line=63, own=True)
EVALUATE = Function(number=3, name="evaluate", qualname="evaluate", file=TRAIN, line=80, own=True)
ADD = Function(number=4, name="add", qualname="add", kind="eager", own=True)
UPDATE = Function(
    number=5, name="update", qualname="update", file="/opt/site-packages/optax/_src/transform.py", line=210
)

HEADER = Header(
    schema=1,
    stagelight="0.1.0",
    jax="0.12.0.1",
    jaxlib="0.12.0.1",
    python="3.13.0",
    platform="Linux-x86_64",
    host="lovelace",
    process=4242,
    started="2026-11-29T12:00:00+00:00",
    program=("train.py", "--epochs", "3"),
    folder=FOLDER,
    capabilities=(("traces", "on"), ("calls", "on"), ("persistent-cache", "this JAX does not say what its key holds")),
)


def ledger(path: str = "digits.jsonl", header: Header = HEADER, **changes: object) -> LedgerAccount:
    values: dict = {"run_s": 31.2, "inside_s": 0.041, "ended": True, "exit_code": 0, "aot_calls": True} | changes
    return LedgerAccount(path=path, header=header, **values)


def group(
    *causes: Cause, ledger: str = "trace", misses: int = 1, seconds: float = 0.5, **changes: object
) -> CauseGroup:
    site = Site(TRAIN, 96, "main")
    values: dict = {
        "avoidable": ledger != "dispatch",
        "examples": (Example(causes=causes, seconds=seconds, call=site),),
        "sites": ((site, misses),),
    } | changes
    return CauseGroup(ledger=ledger, causes=causes, misses=misses, seconds=seconds, **values)


def train_step() -> FunctionAccount:
    ragged = Cause(slug="shape-changed", path="batch['image']", before="f32[32,64]", after="f32[5,64]")
    label = Cause(slug="shape-changed", path="batch['label']", before="i32[32]", after="i32[5]")
    weak = Cause(
        slug="weak-type-changed",
        path="state.loss",
        before="~f32[]",
        after="f32[]",
        detail="The start value is a Python number; the function gives back an array of a fixed type.",
    )
    host = Cause(slug="host-array-argument", path="batch['image']", before="jax.Array", after="numpy.ndarray")
    rows = tuple(
        SpecializationSeen(
            process=0,
            specialization=Specialization(
                number=number,
                trace=number,
                parts=(("batch['image']", image), ("batch['label']", labels), ("state.loss", loss)),
                changed=changed,
                calls=calls,
                seconds=seconds,
                causes=causes,
                call=Site(TRAIN, 96, "main"),
            ),
        )
        for number, image, labels, loss, changed, calls, seconds, causes in (
            (1, "f32[32,64]", "i32[32]", "~f32[]", (), 1, 1.31, ("first-trace",)),
            (2, "f32[32,64]", "i32[32]", "f32[]", ("state.loss",), 134, 1.22, ("weak-type-changed",)),
            (3, "f32[5,64]", "i32[5]", "f32[]", ("batch['image']", "batch['label']"), 3, 1.18, ("shape-changed",)),
        )
    )
    return FunctionAccount(
        function=STEP,
        totals=FunctionTotals(
            function=STEP,
            traces=3,
            compiles=3,
            calls=138,
            dispatch_misses=3,
            specializations=3,
            avoidable=2,
            trace_s=1.1,
            lower_s=0.21,
            compile_s=2.4,
            dispatch_s=0.004,
            avoidable_s=2.4,
        ),
        groups=(
            group(weak, seconds=1.22, compiles=1),
            group(ragged, label, seconds=1.18, compiles=1),
            group(host, ledger="dispatch", misses=3, seconds=0.0001),
            group(Cause(slug="first-trace"), seconds=0.5, avoidable=False),
        ),
        columns=("batch['image']", "batch['label']", "state.loss"),
        specializations=rows,
    )


def loss() -> FunctionAccount:
    recreated = Cause(
        slug="function-recreated",
        before="made 1 time",
        after="made 9 times at train.py:63; the earlier one is dead",
    )
    return FunctionAccount(
        function=LOSS,
        totals=FunctionTotals(
            function=LOSS,
            traces=9,
            compiles=9,
            calls=9,
            specializations=9,
            avoidable=8,
            trace_s=0.3,
            compile_s=0.95,
            avoidable_s=1.11,
        ),
        groups=(group(recreated, misses=8, seconds=1.11, compiles=8),),
    )


def evaluate() -> FunctionAccount:
    convention = Cause(slug="call-convention-changed", path="mode", before="by name", after="by position")
    return FunctionAccount(
        function=EVALUATE,
        totals=FunctionTotals(
            function=EVALUATE,
            traces=2,
            compiles=1,
            calls=6,
            specializations=2,
            avoidable=1,
            trace_s=0.08,
            compile_s=0.4,
            avoidable_s=0.04,
        ),
        groups=(group(convention, seconds=0.04),),
    )


def eager_add() -> FunctionAccount:
    return FunctionAccount(
        function=ADD,
        totals=FunctionTotals(function=ADD, traces=1, compiles=1, trace_s=0.002, compile_s=0.01),
        groups=(group(Cause(slug="first-trace"), avoidable=False, seconds=0.002),),
    )


def library_update() -> FunctionAccount:
    changed = Cause(slug="static-value-changed", path="decay", before="0.9", after="0.99")
    return FunctionAccount(
        function=UPDATE,
        totals=FunctionTotals(
            function=UPDATE, traces=2, compiles=2, avoidable=1, trace_s=0.02, compile_s=0.2, avoidable_s=0.1
        ),
        groups=(group(changed, seconds=0.1, compiles=1),),
    )


def advisory() -> AdvisoryGroup:
    return AdvisoryGroup(
        advisory=Advisory(
            slug="stale-capture", function=STEP, site=Site(TRAIN, 44), path="LEARNING_RATE", before="0.1", after="0.01"
        )
    )


def failure(handled: bool = True) -> FailureGroup:
    return FailureGroup(
        failure=FailureFound(
            slug="traced-condition",
            error="TracerBoolConversionError",
            function=EVALUATE,
            site=Site(TRAIN, 83, "evaluate"),
            column=8,
            expression="accuracy > 0.9",
            arguments=("labels",),
            message="Attempted boolean conversion of traced array with shape bool[].",
            handled=handled,
            call=Site(TRAIN, 99, "main"),
        ),
        handled=int(handled),
    )


def lanes() -> tuple[Lane, ...]:
    spans = (
        Span("trace", "train_step", 1.0, 0.5),
        Span("dispatch", "train_step", 1.52, 0.85),
        Span("lower", "train_step", 1.53, 0.07),
        Span("compile", "train_step", 1.6, 0.75),
        Span("trace", "train_step", 4.0, 0.3, True),
        Span("compile", "train_step", 4.4, 0.8, True),
        Span("trace", "loss", 6.0, 0.03, True),
        Span("compile", "loss", 6.05, 0.1, True),
    )
    return (Lane("thread 0", spans, 3), Lane("thread 1", spans[:3]))


def training_account(**changes: object) -> Account:
    values: dict = {
        "ledgers": (ledger(),),
        "functions": (train_step(), loss(), library_update(), evaluate(), eager_add()),
        "advisories": (advisory(),),
        "failures": (failure(),),
        "lanes": lanes(),
    } | changes
    return Account(**values)
