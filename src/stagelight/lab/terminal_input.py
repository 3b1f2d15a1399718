"""What a learner types: whole lines, or single keys while a file is watched."""

import contextlib
import os
import select
import sys
import time
from collections.abc import Iterator

import click

END_OF_INPUT = "\x04"
INTERRUPT = "\x03"


def is_terminal() -> bool:
    """Whether a person sits at standard input and output."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def typed_line(prompt: str) -> str:
    """One line, without the spaces around it.

    Raises:
        Abort: The input ended, or was interrupted.
    """
    try:
        return input(prompt).strip()
    except (EOFError, KeyboardInterrupt):
        click.echo()
        raise click.Abort from None


@contextlib.contextmanager
def single_keys() -> Iterator[None]:
    """Keys arrive when they are pressed, and are not shown; the terminal is put back at the end."""
    try:
        import termios
        import tty
    except ImportError:  # no POSIX terminal: keys are read by msvcrt
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)  # keeps what was typed ahead
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def pressed_key(timeout_s: float) -> str:
    """The key that was pressed within a time, or an empty text."""
    if sys.platform == "win32":
        return _windows_key(timeout_s)
    ready, _, _ = select.select([sys.stdin], [], [], timeout_s)
    if not ready:
        return ""
    return os.read(sys.stdin.fileno(), 1).decode("utf-8", "replace") or END_OF_INPUT


def _windows_key(timeout_s: float) -> str:
    import msvcrt

    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        if msvcrt.kbhit():  # pyright: ignore[reportAttributeAccessIssue]
            return str(msvcrt.getwch())  # pyright: ignore[reportAttributeAccessIssue]
        time.sleep(0.02)
    return ""
