"""Dimension arithmetic and bucket policies: which sizes are allowed, and which bound a padded axis needs.

Values in, values out: no JAX, no input or output.
"""
