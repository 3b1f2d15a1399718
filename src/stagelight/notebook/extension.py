"""What ``%load_ext stagelight`` and ``%unload_ext stagelight`` do."""

from typing import Any

from stagelight.errors import UsageError
from stagelight.notebook.displays import register_displays, unregister_displays
from stagelight.notebook.magics import StagelightMagics
from stagelight.notebook.watching import NotebookWatch

_WATCHES: dict[int, NotebookWatch] = {}


def load_ipython_extension(shell: Any) -> None:
    """Watch the notebook from here on, and add ``%%stagelight``.

    JAX may have been imported long before, and functions jitted in earlier cells.

    Args:
        shell: IPython's shell.

    Raises:
        UsageError: There is no shell.
    """
    if shell is None:
        message = "there is no IPython shell: use %load_ext stagelight in a notebook, stagelight.watch() elsewhere"
        raise UsageError(message)
    if id(shell) in _WATCHES:
        return
    watch = NotebookWatch(shell)
    _WATCHES[id(shell)] = watch
    watch.start()
    shell.register_magics(StagelightMagics(shell, watch))
    register_displays(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Stop watching, and leave JAX and the shell as they were found."""
    watch = _WATCHES.pop(id(shell), None)
    if watch is None:
        return
    watch.stop()
    shell.magics_manager.magics["cell"].pop("stagelight", None)
    unregister_displays(shell)
