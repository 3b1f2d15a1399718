"""``stagelight learn predict``: commit predictions before anything runs."""

import click

from stagelight.lab.checking import commit_predictions
from stagelight.lab.going_on import next_step
from stagelight.lab.pointing import pointed_lesson, typed_answers
from stagelight.lab.question_list import tell_questions
from stagelight.lab.study import study_of


@click.command(
    epilog="""\b
Example:
  stagelight learn predict 1 lines=1 traces=1 second=29.0 shape-time=metadata
"""
)
@click.argument("lesson")
@click.argument("answers", nargs=-1, metavar="ID=ANSWER...")
def command(lesson: str, answers: tuple[str, ...]) -> None:
    """Commit all predictions of LESSON to the journal; they cannot be changed after that.

    Without answers it says what is asked. `stagelight learn show LESSON` shows the program.
    """
    study = study_of()
    chosen = pointed_lesson(study, lesson)
    if not answers:
        tell_questions(chosen.predictions, f"predict {chosen.number}")
        return
    commit_predictions(study, chosen, typed_answers(answers))
    click.echo(f"The predictions of lesson {chosen.number} are in the journal.\n{next_step(study)}")
