"""Make static values again from what was recorded: plain ones, functions and classes by name, dataclasses by field."""

import ast
import dataclasses
import importlib
from typing import Any

from stagelight.errors import StagelightError
from stagelight.model.value import Value

_PLAIN = frozenset({"int", "float", "bool", "str", "NoneType", "bytes", "complex"})
_SEQUENCES = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}
_CUT = "…"
_MAIN = "__main__"


class NotRebuilt(StagelightError):
    """A recorded call that cannot be made again from what was recorded."""


class Rebuilding:
    """Makes values of one recorded call.

    Args:
        module: The module that now holds the function: what the program defined as ``__main__`` is looked up there.
    """

    def __init__(self, module: str = ""):
        self._module = module

    def value(self, value: Value, name: str) -> Any:
        """The value again.

        Args:
            value: What was recorded of it.
            name: Which argument or field it is, for messages.

        Raises:
            NotRebuilt: Too little was recorded of it.
        """
        kind = value.type_name
        if kind in _PLAIN or (kind in _SEQUENCES and not value.fields):
            return _literal(value, name)
        if kind in _SEQUENCES:
            return _SEQUENCES[kind](self._fields(value, name).values())
        if kind == "dict" and value.fields:
            return {_key(key, name): item for key, item in self._fields(value, name).items()}
        if not value.import_path:
            raise NotRebuilt(_cannot(value, name, "it cannot be imported by a name"))
        found = self.imported(value.import_path, name)
        if not isinstance(found, type) or value.type_name == "type" or not _is_of_class(value):
            return found
        return self._instance(found, value, name)

    def _instance(self, cls: type, value: Value, name: str) -> Any:
        members = getattr(cls, "__members__", {})
        if value.token in members:
            return members[value.token]
        if dataclasses.is_dataclass(cls) and not any(n == "" for n, _ in value.fields):
            return instance_with(cls, self._fields(value, name))
        raise NotRebuilt(_cannot(value, name, "only plain values, enumerations and dataclasses are made again"))

    def _fields(self, value: Value, name: str) -> dict[str, Any]:
        if _CUT in value.token[-1:]:
            raise NotRebuilt(_cannot(value, name, "it is nested too deep to be recorded whole"))
        return {
            key: self.value(item, f"{name}{key if key.startswith('[') else '.' + key}") for key, item in value.fields
        }

    def imported(self, path: str, name: str) -> Any:
        """What stands at ``module:qualified.name`` now.

        Raises:
            NotRebuilt: Nothing does.
        """
        module_name, _, qualified = path.partition(":")
        if module_name == _MAIN:
            module_name = self._module or _MAIN
        try:
            found: Any = importlib.import_module(module_name)
            for part in qualified.split("."):
                found = getattr(found, part)
        except Exception as error:
            message = f"{name} needs {qualified} of {module_name}: {type(error).__name__}: {error}"
            raise NotRebuilt(message) from None
        return found


def instance_with(cls: type, fields: dict[str, Any]) -> Any:
    """An instance with these fields, made as unflattening makes one: ``__init__`` does not run."""
    made = object.__new__(cls)
    for field, value in fields.items():
        object.__setattr__(made, field, value)
    return made


def _is_of_class(value: Value) -> bool:
    """Whether the import path is that of the value's class; otherwise it is that of the value itself."""
    _, _, qualified = value.import_path.partition(":")
    return value.type_name == qualified or value.type_name.endswith("." + qualified)


def _literal(value: Value, name: str) -> Any:
    try:
        return ast.literal_eval(value.text)
    except (ValueError, SyntaxError):
        raise NotRebuilt(_cannot(value, name, "its text was cut or kept out")) from None


def _key(text: str, name: str) -> Any:
    try:
        return ast.literal_eval(text[1:-1])
    except (ValueError, SyntaxError):
        message = f"the key {text} of {name} is no plain value"
        raise NotRebuilt(message) from None


def _cannot(value: Value, name: str, reason: str) -> str:
    return f"{name} is {value.text} ({value.type_name}), which cannot be made again: {reason}"
