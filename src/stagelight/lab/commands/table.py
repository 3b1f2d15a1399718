"""The table of commands: name → one line of help. The file of a command has its name."""

COMMANDS: tuple[tuple[str, str], ...] = (
    ("project", "Check an implementation of a project, stage by stage."),
    ("lint", "For authors: run everything that a lesson claims."),
)
