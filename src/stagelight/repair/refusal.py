"""Why a repair is not offered."""


class Refusal(Exception):
    """A rewrite that cannot be made or was not confirmed; the message is the reason, in the user's words."""


class NotApplicable(Refusal):
    """The failing expression has not the form that a rewrite is for; nothing worth telling."""
