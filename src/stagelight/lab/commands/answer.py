"""``stagelight learn answer``: the checkpoint."""

import click

from stagelight.lab.checking import answer_checkpoint
from stagelight.lab.going_on import next_step
from stagelight.lab.pointing import pointed_lesson, typed_answers
from stagelight.lab.question_list import tell_questions
from stagelight.lab.receipts import judged_checkpoints
from stagelight.lab.study import study_of
from stagelight.report.lesson_document import judged_document
from stagelight.report.terminal import write_terminal


@click.command()
@click.argument("lesson")
@click.argument("answers", nargs=-1, metavar="ID=ANSWER...")
def command(lesson: str, answers: tuple[str, ...]) -> None:
    """Answer the checkpoint questions of LESSON; the keys were computed by running JAX.

    `stagelight learn answer LESSON` without answers says what is asked.
    """
    study = study_of()
    chosen = pointed_lesson(study, lesson)
    if not answers:
        tell_questions(chosen.checkpoints, f"answer {chosen.number}")
        return
    answer_checkpoint(study, chosen, typed_answers(answers))
    judged = judged_checkpoints(chosen, study.progress(chosen))
    write_terminal(judged_document("Checkpoint", judged, chosen.checkpoints))
    click.echo(next_step(study))
