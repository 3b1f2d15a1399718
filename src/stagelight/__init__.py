"""Stagelight shows the staging boundary of JAX programs.

Importing this package loads no JAX: every public name below is loaded from its room when it is first used.
"""

import importlib

__version__ = "0.1.0"

_ROOM_OF_NAME = {
    "StagelightError": "stagelight.errors",
    "UsageError": "stagelight.errors",
    "watch": "stagelight.recorder.watching",
    "why": "stagelight.recorder.reasons",
    "show": "stagelight.report.shown",
    "load_ipython_extension": "stagelight.notebook.extension",
    "unload_ipython_extension": "stagelight.notebook.extension",
    "call": "stagelight.trial.made_call",
    "experiment": "stagelight.trial.experiment_table",
    "predict": "stagelight.trial.prediction",
    "traced_calls": "stagelight.trial.machine_comparison",
    "on_machine": "stagelight.trial.machine_comparison",
    "RetraceForbidden": "stagelight.errors",
    "RetraceWarning": "stagelight.errors",
    "no_retrace": "stagelight.control.guard",
    "max_traces": "stagelight.control.budgets",
    "warn_after": "stagelight.control.warnings_after",
    "restore_fast_path": "stagelight.control.fast_path_repair",
    "warm": "stagelight.control.warm_up",
    "BucketMismatch": "stagelight.errors",
    "BucketReport": "stagelight.model.bucket",
    "BucketingRefused": "stagelight.errors",
    "bucketed": "stagelight.bucketing.decoration",
    "edges": "stagelight.sizes.policies",
    "explain": "stagelight.staging.explaining",
    "fit": "stagelight.sizes.fitting",
    "geometric": "stagelight.sizes.policies",
    "multiples": "stagelight.sizes.policies",
    "powers_of_two": "stagelight.sizes.policies",
}

__all__ = ["__version__", *_ROOM_OF_NAME]  # noqa: PLE0604  (names of the table above)


def __getattr__(name: str) -> object:
    room = _ROOM_OF_NAME.get(name)
    if room is None:
        message = f"module 'stagelight' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(importlib.import_module(room), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
