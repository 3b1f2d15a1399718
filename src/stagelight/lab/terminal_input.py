"""What a learner types: whole lines, or single keys while a file is watched."""

import contextlib
import os
import select
import sys
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
        Abort: The input ended.
    """
    try:
        return input(prompt).strip()
    except EOFError:
        click.echo()
        raise click.Abort from None


@contextlib.contextmanager
def single_keys() -> Iterator[None]:
    """Keys arrive when they are pressed, and are not shown; the terminal is put back at the end."""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)  # keeps what was typed ahead
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def pressed_key(timeout_s: float) -> str:
    """The key that was pressed within a time, or an empty text."""
    ready, _, _ = select.select([sys.stdin], [], [], timeout_s)
    if not ready:
        return ""
    return os.read(sys.stdin.fileno(), 1).decode("utf-8", "replace") or END_OF_INPUT
