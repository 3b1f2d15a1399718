"""What this run could not show: missing capabilities, calls that are not seen, Stagelight's own failures."""

from stagelight.report.account import Account, LedgerAccount
from stagelight.report.document import Code, Line, Text

# A capability is recorded as "on", as "off: " and the reason, or as a remark on what was chosen.
OFF = "off"


def blind_spot_lines(account: Account) -> tuple[Line, ...]:
    """One line for each blind spot, the same one of several processes once."""
    lines: dict[Line, None] = {}
    for ledger in account.ledgers:
        lines.update(dict.fromkeys(_lines_of(ledger)))
    return tuple(lines)


def _lines_of(ledger: LedgerAccount) -> list[Line]:
    lines: list[Line] = [
        (Text(name, "strong"), Text(f": {reason.removeprefix(OFF).lstrip(': ') or 'not recorded here'}"))
        for name, reason in ledger.header.capabilities
        if reason.startswith(OFF) or " not " in reason
    ]
    if ledger.aot_calls:
        lines.append((Text("Executables were compiled ahead of time; their calls are not seen."),))
    if ledger.jit_disabled:
        lines.append((Code("jax_disable_jit"), Text(" was on for a while: nothing is traced or compiled then.")))
    if ledger.header.redacted:
        lines.append((Text("Values were kept out of the ledger (--redact); changes are known, not what they were."),))
    if not ledger.ended:
        lines.append((Text("The session has no end: its last events may be missing."),))
    lines += [(Text("Stagelight's own failure, hidden from the program: "), Code(text)) for text in ledger.problems]
    return lines
