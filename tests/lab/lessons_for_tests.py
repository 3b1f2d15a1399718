"""A small lesson to take apart, and ways to go through one."""

from pathlib import Path

from stagelight.lab.asking import Examiner
from stagelight.lab.checking import answer_checkpoint, check_exercise, commit_predictions, run_lesson
from stagelight.lab.course import course
from stagelight.lab.executions import shipped_execution
from stagelight.lab.program_run import run_program
from stagelight.lab.study import Study, started_study
from stagelight.model.lesson import Lesson
from stagelight.report.lesson_document import shown_answer

SMALL = """+++
name = "small"
title = "Small"
level = "foundation"
minutes = 5
hardware = "any"
rows = ["S2"]
+++

A problem.

## Idea

An idea.

## Predict

```toml prediction
id = "traces"
question = "How many?"
kind = "traces"
observed = "traces('double')"
```

## Build

`jax.jit` wraps.

```python build
import jax
import jax.numpy as jnp

double = jax.jit(lambda x: x * 2)
```

## Run

```python run
print(double(jnp.ones(3)).tolist())
```

## Experiment

```python experiment
print("experiment")
```

## Repair

```toml exercise
name = "triple"
level = "foundation"
fails = "check-failed"
says = "three times"
traces = 1
```

Make it triple.

```python starter
import jax


@jax.jit
def triple(x):
    return x * 2


triple(1.0)
```

```python solution
import jax


@jax.jit
def triple(x):
    return x * 3


triple(1.0)
```

```python check
assert float(learner.triple(2.0)) == 6.0, "triple(2.0) is not three times 2.0"
```

```python wrong constant
def triple(x):
    return 3.0
```

```python wrong nothing names-missing
x = 1
```

```python wrong twice traces-over-budget
import jax


@jax.jit
def triple(x):
    return x * 3


triple(1.0), triple(1)
```

```text hint
First.
```

```text hint
Second.
```

## Checkpoint

```toml checkpoint
id = "again"
question = "And again?"
kind = "cause"
observed = "cause('<lambda>', 1)"
```

## Evidence

```toml figure
kind = "calls"
title = "Calls"
functions = ["<lambda>"]
```
"""


def kept_executables(folder: Path) -> dict[str, str]:
    """Settings that keep what JAX compiled for the next child: the same eager operations, hundreds of times.

    A compile that was loaded is counted as any other.
    """
    return {
        "JAX_COMPILATION_CACHE_DIR": str(folder / "executables"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }


def laid_study(folder: Path, monkeypatch) -> Study:
    """A study whose journal is in a folder of the test."""
    monkeypatch.setenv("STAGELIGHT_LAB_HOME", str(folder / "home"))
    return started_study(folder / "lab")


def shipped_keys(lesson: Lesson) -> dict[str, str]:
    """The recorded key of every question, as it would be typed."""
    execution = shipped_execution(lesson)
    assert execution is not None, "its execution is of another text: record it with scripts/lessons.sh"
    return {name: shown_answer(value) for name, value in execution.answers}


def right_answers(lesson: Lesson, examiner: Examiner, folder: Path) -> dict[str, str]:
    """The key of every question, as it would be typed."""
    found = run_program(lesson, folder, examiner)
    return {one.id: shown_answer(one.value) for one in found.answers}


def go_through(study: Study, lesson: Lesson, examiner: Examiner, keys: dict[str, str]) -> None:
    """Everything up to the receipt."""
    commit_predictions(study, lesson, {one.id: keys[one.id] for one in lesson.predictions})
    run_lesson(study, lesson, examiner)
    for exercise in lesson.exercises:
        study.exercise_file(lesson, exercise).write_text(exercise.solution)
        assert check_exercise(study, lesson, exercise, examiner).kind == "passed"
    answer_checkpoint(study, lesson, {one.id: keys[one.id] for one in lesson.checkpoints})


def first_lesson() -> Lesson:
    """Lesson 1."""
    return course()[0]
