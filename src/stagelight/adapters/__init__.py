"""Everything that touches JAX's insides, behind protocols that the rooms above use.

Each touch is checked when it is made: a symbol that is missing, or that has other parameters than the ones it was
written for, turns one named capability off and leaves the rest on.
"""
