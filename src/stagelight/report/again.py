"""The exact commands that say more: of a ledger, of one function in it, of a cause."""

import shlex

from stagelight.report.account import Account, FunctionAccount

PATHS = 3


def ledger_arguments(account: Account) -> str:
    """The ledgers of an account as shell arguments; a word where they were never files."""
    paths = [ledger.path for ledger in account.ledgers if ledger.path]
    if not paths:
        return "LEDGER"
    folder = paths[0].rpartition("/")[0]
    if len(paths) > PATHS and folder and all(path.rpartition("/")[0] == folder for path in paths):
        return shlex.quote(folder)
    return " ".join(shlex.quote(path) for path in paths)


def why_command(account: Account) -> str:
    """Opens the whole answer."""
    return f"stagelight why {ledger_arguments(account)}"


def list_command(account: Account, function: FunctionAccount) -> str:
    """Lists every kind of miss of one function."""
    return f"{why_command(account)} --function {shlex.quote(function.function.name)} --all"


def misses_command(account: Account, function: FunctionAccount) -> str:
    """Lists every single miss of one function, with its causes."""
    return f"{why_command(account)} --function {shlex.quote(function.function.name)} --format json"


def report_command(account: Account, file: str = "report.html") -> str:
    """Writes the page."""
    return f"stagelight report {ledger_arguments(account)} -o {shlex.quote(file)}"


def rule_command(slug: str) -> str:
    """Shows the page of a cause."""
    return f"stagelight rule {shlex.quote(slug)}"
