"""Where a class or function can be imported from again, if it can."""

import sys
from typing import Any


def import_path(value: Any) -> str:
    """``module:qualified.name`` where exactly this object stands there, else empty.

    >>> import collections
    >>> import_path(collections.OrderedDict), import_path(lambda: 0)
    ('collections:OrderedDict', '')
    """
    module_name, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module_name, str) or not isinstance(name, str) or "<" in name:
        return ""
    found: Any = sys.modules.get(module_name)
    for part in name.split("."):
        found = getattr(found, "__dict__", {}).get(part)
    return f"{module_name}:{name}" if found is value else ""
