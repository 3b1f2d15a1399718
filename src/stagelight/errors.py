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
