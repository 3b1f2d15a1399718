"""A place in source as short text."""

from stagelight.model.site import Site


def site_text(site: Site) -> str:
    """File name and line, empty where there is no place.

    >>> site_text(Site("project/train.py", 12))
    'train.py:12'
    """
    return f"{site.file.replace(chr(92), '/').rpartition('/')[2]}:{site.line}" if site.file else ""
