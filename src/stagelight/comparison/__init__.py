"""Two runs side by side: what one traced or compiled that the other did not, and which key part differs.

Values in, values out: no JAX, no input or output, no clock.
"""
