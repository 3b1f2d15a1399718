"""Ledger → why each trace, compile and slow dispatch happened; one file per cause.

Values in, values out: no JAX, no input or output, no clock.
"""
