"""How Sphinx builds the documentation; ``scripts/docs.sh`` runs it with warnings as errors."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "extensions"), str(HERE.parent / "src")]

from stagelight import __version__  # noqa: E402  (the tree above, not an installed copy)

project = "Stagelight"
release = version = __version__
author = "The Stagelight authors"
copyright = author

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    "cause_pages",
    "command_help",
    "lesson_pages",
    "public_names",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False
# A field that is called `object` makes every annotation `object` ambiguous to Sphinx's loose search.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = "Stagelight"
html_static_path = ["pictures"]
# Nothing on a page comes from another host: the theme's own fonts are the system's.
html_theme_options = {"sidebar_hide_name": False}
