"""``python -m stagelight`` and the ``stagelight`` command."""

from stagelight.cli.entry import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
