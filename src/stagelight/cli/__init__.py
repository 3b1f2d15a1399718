"""The command line: one file a subcommand, one line each in ``subcommands``."""
