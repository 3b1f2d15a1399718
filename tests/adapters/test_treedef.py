import pytest

from stagelight.adapters.treedef import _walk, nodes_of

jax = pytest.importorskip("jax")


class NoState:
    """A treedef of another jaxlib: it can be walked and nothing else."""

    def __init__(self, treedef):
        self._treedef = treedef

    def __getstate__(self):
        raise TypeError

    def node_data(self):
        return self._treedef.node_data()

    def children(self):
        return [NoState(c) for c in self._treedef.children()]


def test_walking_gives_the_same_nodes_as_the_state():
    tree = {"a": [1, None, (2, 3)], "b": {"c": 4}}
    treedef = jax.tree_util.tree_structure(tree)
    walked: list = []
    _walk(treedef, walked)
    assert walked == [tuple(n) for n in nodes_of(treedef)]


def test_a_treedef_without_state_is_walked():
    treedef = jax.tree_util.tree_structure([1, (2,)])
    assert nodes_of(NoState(treedef)) == [tuple(n) for n in nodes_of(treedef)]
