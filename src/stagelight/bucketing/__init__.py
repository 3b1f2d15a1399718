"""Function → function over padded shapes with the same results, one executable a bucket.

The function is traced once with symbolic sizes; its jaxpr is run again on padded arrays by rules, one file per
primitive family, that mask exactly where a primitive would mix padding with data.
"""
