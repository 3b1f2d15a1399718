"""``tree-structure-changed``: an argument is another pytree."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="tree-structure-changed",
    group="cause",
    ledgers=("trace",),
    title="An argument is a pytree of another structure",
    meaning=(
        "The kinds of containers, their keys and lengths, and whether a place holds a leaf or `None`, are part of "
        "the key. A list that grows, a dict that gains a key, an optional argument that is set later, an optimizer "
        "state of another optimizer: each is traced again."
    ),
    evidence="The node's path, and the node before and after: `list of 2` → `list of 3`; keys added and removed.",
    fix="Keep one structure for the life of the program: stack what grows into one array, fill optional places.",
    example_before="""
history = []
for loss in losses:
    history.append(loss)
    plot(history)  # one more leaf each time: traced again
""",
    example_after="""
history = jnp.zeros(len(losses))
for i, loss in enumerate(losses):
    history = history.at[i].set(loss)
    plot(history)
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each node of another kind, keys or length."""
    found = [
        Cause(slug=PAGE.slug, path=node.path, before=node.before, after=node.after, detail=node.detail)
        for node in evidence.change.nodes
    ]
    names = evidence.change.convention.keyword_names
    if names is not None:
        path, before, after = names
        found.append(Cause(slug=PAGE.slug, path=path, before=before, after=after, detail="other keyword names"))
    return tuple(found)


RULE = CauseRule(page=PAGE, in_trace=in_trace)
