"""Frozen records: what was recorded, what was concluded from it, and how both are encoded.

Standard library and ``msgspec`` only; no input or output; no display methods.
"""
