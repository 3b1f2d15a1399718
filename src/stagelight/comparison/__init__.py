"""Two runs, or a run and a lock: what differs, and in which part of the key.

Values in, values out: no JAX, no input or output, no clock.
"""
