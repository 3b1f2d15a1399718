"""Long lists of names, written as words so that they can be read."""


def names(words: str) -> frozenset[str]:
    """Return the words of a text.

    >>> sorted(names("b a"))
    ['a', 'b']
    """
    return frozenset(words.split())
