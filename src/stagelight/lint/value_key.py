"""When two abstract values are the same for the memo of calls."""

from stagelight.lint.values import (
    Array,
    ClassValue,
    Closure,
    Generator,
    Instance,
    Known,
    LeafWise,
    Mapping,
    Maybe,
    Method,
    Partial,
    Sequence,
    Super,
    Transformed,
    Transformer,
    Tree,
    Value,
)

_DEEPEST_OBJECT = 3


def value_key(value: Value, depth: int = 0) -> object:
    """Return a hashable key: two values with one key lead to the same findings. Origins are left out on purpose."""
    match value:
        case Array():
            return ("array", value.is_mask, value.strength, value.number)
        case Tree():
            return ("tree", value.is_parameter, value.is_present, value.is_full)
        case Maybe():
            return ("maybe", value.is_flag, value.is_present, value.is_operand)
        case Known():
            literal = value.literal
            return (value.time, type(literal).__name__, literal)
        case Sequence():
            return ("sequence", value.is_list, *(value_key(item, depth) for item in value.items))
        case Mapping():
            return ("mapping", *((key, value_key(item, depth)) for key, item in value.items))
        case Generator():
            return (
                "generator",
                value_key(value.element, depth),
                *(value_key(item, depth) for item in value.items or ()),
            )
        case Closure():
            return ("closure", id(value.function.node), id(value.scope), value.is_bare)
        case Method():
            return ("method", id(value.function.node), value_key(value.owner, depth))
        case Partial():
            bound = (
                *(value_key(v, depth) for v in value.arguments),
                *((n, value_key(v, depth)) for n, v in value.keywords),
            )
            return ("partial", value_key(value.function, depth), *bound)
        case Transformed():
            return ("transformed", value.transformation.name, value_key(value.function, depth))
        case Transformer():
            return ("transformer", value.transformation.name)
        case ClassValue():
            return ("class", id(value.definition))
        case Instance() if value.fields is None:
            return ("instance", id(value.definition), value.is_traced)
        case Instance():
            return _key_of_object(value, depth)
        case LeafWise():
            return ("leaf by leaf", value_key(value.tree, depth))
        case Super():
            return ("super", id(value.definition), value_key(value.owner, depth))
        case _:
            return value


def _key_of_object(value: Instance, depth: int) -> object:
    if depth >= _DEEPEST_OBJECT:
        return ("object", id(value.fields))
    fields = value.fields or {}
    held = tuple((name, value_key(part, depth + 1)) for name, part in fields.items())
    return ("object", id(value.definition), value.is_traced, held)
