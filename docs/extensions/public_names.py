"""``{public-names}``: autodoc for everything in ``stagelight.__all__``, in that order."""

import inspect

from docutils.nodes import Node
from sphinx.util.docutils import SphinxDirective

import stagelight


def autodoc_line(name: str) -> str:
    """The autodoc directive for one public name, by what it is."""
    value = getattr(stagelight, name)
    if inspect.isclass(value):
        kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
        return f".. {kind}:: stagelight.{name}\n   :members:"
    return f".. {'autofunction' if callable(value) else 'autodata'}:: stagelight.{name}"


class PublicNames(SphinxDirective):
    """The directive; it takes nothing."""

    def run(self) -> list[Node]:
        """Nodes of all entries."""
        names = [name for name in stagelight.__all__ if not name.startswith("__")]
        text = "\n\n".join(autodoc_line(name) for name in names)
        return self.parse_text_to_nodes(f"```{{eval-rst}}\n{text}\n```")


def setup(app) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("public-names", PublicNames)
    return {"parallel_read_safe": True}
