"""A miss that happened while a test ran."""

import msgspec


class TestMiss(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One trace, compile or slow dispatch, with the test that it happened in.

    Attributes:
        test: Id of the test; empty outside tests (collection, session-wide fixtures' ends).
        phase: ``setup`` (fixtures of a wider scope included), ``call`` or ``teardown``.
        ledger: Which of the three ledgers.
        function: Name of the function.
        file: Where it is defined.
        line: First line of its definition.
        own: Whether it is the user's own.
        seconds: What it cost.
        causes: Slugs, the telling one first.
        signature: Function, structure, avals and static arguments as one text: two misses with the same signature made
            the same thing.
        shown: The avals as text, for people.
    """

    __test__ = False  # its name is no reason for pytest to collect it

    test: str
    phase: str
    ledger: str
    function: str
    file: str = ""
    line: int = 0
    own: bool = False
    seconds: float = 0.0
    causes: tuple[str, ...] = ()
    signature: str = ""
    shown: str = ""
