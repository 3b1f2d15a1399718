"""The one tree of errors that Stagelight raises.

A message answers, in this order: what happened, where in the user's code, on what evidence (before and after), what to
do, where to read more. Build the message first, then raise it.
"""


class StagelightError(Exception):
    """Something that Stagelight cannot do; the message says what to do instead.

    Every error that the package raises on purpose is one of these, so that ``except stagelight.StagelightError``
    catches them all. The command line prints the message alone, without a traceback, and exits with 2.
    """


class UsageError(StagelightError):
    """Arguments or options that cannot be used as given."""


class BucketingRefused(StagelightError):
    """A bucketed function holds something whose results padding would change, and no rule masks it.

    Names the primitive or the Python operation on a size, the user's line and what to do instead.
    """


class BucketMismatch(StagelightError):
    """The first call of a bucket gave another result than the unpadded function."""


class RetraceForbidden(StagelightError):
    """A guard stopped a trace or a compile before it began, or says at its end what it could not stop.

    Attributes:
        misses: What was forbidden: for each miss (``stagelight.model.attribution.Miss``) its causes with path, before
            and after, its function and the line of the call. The first is the one that the message tells.
    """

    def __init__(self, message: str, misses: tuple[object, ...] = ()):
        super().__init__(message)
        self.misses = misses


class RetraceWarning(UserWarning):
    """What a guard says where it does not stop: the same text as a ``RetraceForbidden``."""


class LockError(StagelightError):
    """A lock file that cannot be read or written: broken, newer, with merge markers, or being written by another."""


class WarmUpError(StagelightError):
    """A warm-up that cannot begin: a factory that raises or gives no functions, or calls that cannot be rebuilt."""


class LessonError(StagelightError):
    """A lesson that cannot be read as one: names its file and line, and what is expected there."""


class LabError(StagelightError):
    """Something of the lab that cannot be done now: no workspace, a step before its turn, a broken record."""


class StoppedOnPurpose(BaseException):
    """Ends a call that was made only to learn what it would do."""
