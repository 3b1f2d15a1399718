"""Record a running program, and read back what was recorded."""
