"""Explain one function: the binding time of every expression, its equations, and where values cross the boundary."""
