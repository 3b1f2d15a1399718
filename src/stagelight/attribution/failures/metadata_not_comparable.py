"""``metadata-not-comparable``: static data of a pytree that cannot be compared."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="metadata-not-comparable",
    group="failure",
    title="Static data of a pytree cannot be compared or hashed",
    meaning=(
        "The static data of pytree nodes are part of the key and compared by `==`. An array among them gives an "
        "array instead of `True` or `False`."
    ),
    evidence="The field's path and its type.",
    fix=(
        "Make the array a leaf (a data field); where it must stay static, wrap it in a class with `__eq__` and "
        "`__hash__`."
    ),
    example_before="""
def tree_flatten(self):
    return (self.values,), (np.arange(3),)
""",
    example_after="""
def tree_flatten(self):
    return (self.values, self.table), ()
""",
)
