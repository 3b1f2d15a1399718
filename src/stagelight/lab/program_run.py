"""Run a lesson's program: once with its questions, and once with its experiment."""

from pathlib import Path

import msgspec

from stagelight.lab.asking import Examiner
from stagelight.lab.requests import program_request
from stagelight.model.examination import Examination
from stagelight.model.lesson import Lesson


def run_program(lesson: Lesson, folder: Path, examiner: Examiner) -> Examination:
    """What was seen of a lesson's program.

    Questions are asked of the state after the run. The experiment changes that state, and a question that predicts
    empties JAX's call caches, which an experiment would show: so each has a process of its own.

    Args:
        lesson: The lesson.
        folder: Where the program stands.
        examiner: Runs it.
    """
    request = program_request(lesson, folder)
    watched = tuple(piece for piece in request.pieces if piece.role != "experiment")
    found = examiner.examine(msgspec.structs.replace(request, pieces=watched))
    if found.ending != "answered" or found.raised is not None or len(watched) == len(request.pieces):
        return found
    experiment = examiner.examine(msgspec.structs.replace(request, questions=(), figures=()))
    return msgspec.structs.replace(
        found,
        ending=experiment.ending,
        exit_code=experiment.exit_code,
        output=experiment.output,
        outputs=experiment.outputs,
        raised=experiment.raised,
        seconds=found.seconds + experiment.seconds,
    )
