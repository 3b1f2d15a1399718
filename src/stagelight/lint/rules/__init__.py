"""One file per rule: its documentation page as the docstring, what it finds, and its row for the table."""
