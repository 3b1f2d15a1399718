"""Rules that run a primitive on padded arrays, one file per family of primitives."""
