"""Where a learner stands follows from the journal alone, and from its order."""

from lab.lessons_for_tests import SMALL

from stagelight.lab.lesson_reading import lesson_from_text
from stagelight.lab.progress import lesson_progress
from stagelight.model.journal import (
    FIRST,
    Checked,
    CheckpointAnswered,
    Entry,
    GaveUp,
    Hinted,
    Predicted,
    Ran,
    Received,
    WasReset,
    hash_of,
)

LESSON = lesson_from_text(SMALL, "07-small.md")
MADE_FOR = {"lesson": "small", "lesson_digest": LESSON.digest}
PREDICTED = Predicted(**MADE_FOR, answers=(("traces", "1"),))
RAN = Ran(**MADE_FOR, source_digest="s", observed=(("traces", "1"),))
PASSED = Checked(**MADE_FOR, exercise="triple", source_digest="a", verdict="passed")
FAILED = Checked(**MADE_FOR, exercise="triple", source_digest="b", verdict="check-failed")
ANSWERED = CheckpointAnswered(**MADE_FOR, answers=(("again", '"first-trace"'),))
RECEIVED = Received(lesson="small", receipt_digest="r")


def after(*deeds):
    entries: list[Entry] = []
    for number, deed in enumerate(deeds, start=1):
        previous = entries[-1].hash if entries else FIRST
        hashed = hash_of(number, previous, "", deed)
        entries.append(Entry(sequence=number, previous=previous, at="", deed=deed, hash=hashed))
    return lesson_progress(LESSON, entries)


def test_the_parts_follow_each_other():
    deeds = [PREDICTED, RAN, PASSED, ANSWERED, RECEIVED]
    parts = [after(*deeds[:number]).part for number in range(6)]
    assert parts == ["predict", "run", "repair", "checkpoint", "evidence", "done"]


def test_a_prediction_after_the_run_does_not_count():
    assert after(RAN, PREDICTED).part == "predict"
    assert after(RAN, PREDICTED, RAN, PASSED, ANSWERED, RECEIVED).part == "predict"


def test_after_a_reset_both_count_anew():
    begun = WasReset(lesson="small")
    assert after(RAN, PREDICTED, begun, PREDICTED, RAN).part == "repair"
    assert after(PREDICTED, RAN, PASSED, begun).part == "predict"


def test_the_first_prediction_stands():
    second = Predicted(**MADE_FOR, answers=(("traces", "9"),))
    predicted = after(PREDICTED, second, RAN).predicted
    assert predicted is not None
    assert predicted.deed == PREDICTED


def test_another_text_of_the_lesson_is_predicted_anew_and_keeps_its_repairs():
    old = {"lesson": "small", "lesson_digest": "other"}
    progress = after(
        Predicted(**old, answers=()), Ran(**old, source_digest="s", observed=()), PASSED
    )  # fmt: skip
    assert progress.part == "predict"
    assert progress.exercises["triple"].passed


def test_attempts_hints_and_giving_up_are_counted():
    gave_up = GaveUp(lesson="small", exercise="triple")
    hinted = Hinted(lesson="small", exercise="triple", hint=2)
    done = after(PREDICTED, RAN, FAILED, hinted, FAILED, PASSED, FAILED, gave_up).exercises["triple"]
    assert (done.passed, done.attempts, done.hints, done.gave_up, done.source_digest) == (True, 3, 2, False, "a")
    assert after(PREDICTED, RAN, gave_up, PASSED).exercises["triple"].gave_up


def test_another_lesson_changes_nothing():
    assert after(Predicted(lesson="large", lesson_digest=LESSON.digest, answers=())).part == "predict"


def test_an_exercise_may_begin_anew_alone():
    progress = after(PREDICTED, RAN, PASSED, WasReset(lesson="small", exercise="triple"))
    assert (progress.part, progress.exercises["triple"].passed) == ("repair", False)
