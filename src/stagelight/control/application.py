"""The functions of an application, from ``module:factory``."""

import functools
import importlib
import os
import sys
from collections.abc import Mapping
from typing import Any

from stagelight.errors import WarmUpError


@functools.cache
def functions_of(application: str) -> Mapping[str, Any]:
    """Import the module and call the factory, once a process.

    Args:
        application: ``module:factory``; the factory takes no argument and returns ``{name: jitted function}``.

    Raises:
        WarmUpError: There is no such module or factory, it raises, or it returns something else.
    """
    module_name, _, factory_name = application.partition(":")
    if not module_name or not factory_name:
        message = f"{application!r}: name a factory as module:factory; it returns {{name: jitted function}}"
        raise WarmUpError(message)
    if os.getcwd() not in sys.path:  # as `python -m` does
        sys.path.insert(0, os.getcwd())
    return _checked(application, _call_factory(application, module_name, factory_name))


def _call_factory(application: str, module_name: str, factory_name: str) -> Any:
    try:
        factory = getattr(importlib.import_module(module_name), factory_name)
    except ModuleNotFoundError as error:
        message = f"{application}: {error}. The working folder is {os.getcwd()}"
        raise WarmUpError(message) from error
    except AttributeError:
        message = f"{application}: module {module_name} has no {factory_name}"
        raise WarmUpError(message) from None
    except Exception as error:
        message = f"{application}: importing {module_name} raised {type(error).__name__}: {error}"
        raise WarmUpError(message) from error
    try:
        return factory()
    except Exception as error:
        message = f"{application}: the factory raised {type(error).__name__}: {error}. Nothing was warmed up"
        raise WarmUpError(message) from error


def _checked(application: str, found: Any) -> Mapping[str, Any]:
    if not isinstance(found, Mapping) or not found:
        message = f"{application} returned {type(found).__name__}: it has to return {{name: jitted function}}"
        raise WarmUpError(message)
    for name, function in found.items():
        if not hasattr(function, "lower"):
            message = f"{application}: {name} is a {type(function).__name__}, not what jax.jit returns"
            raise WarmUpError(message)
    return found
