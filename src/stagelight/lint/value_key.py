"""When two abstract values are the same for the memo of calls."""

from stagelight.lint.values import (
    Array,
    ClassValue,
    Closure,
    Generator,
    Instance,
    Known,
    Mapping,
    Maybe,
    Method,
    Partial,
    Sequence,
    Transformed,
    Transformer,
    Tree,
    Value,
)


def value_key(value: Value) -> object:
    """Return a hashable key: two values with one key lead to the same findings. Origins are left out on purpose."""
    match value:
        case Array():
            return ("array", value.is_mask, value.strength, value.number)
        case Tree():
            return ("tree", value.is_parameter, value.is_present)
        case Maybe():
            return ("maybe", value.is_flag, value.is_present)
        case Known():
            literal = value.literal
            return (value.time, type(literal).__name__, literal)
        case Sequence():
            return ("sequence", value.is_list, *map(value_key, value.items))
        case Mapping():
            return ("mapping", *((key, value_key(item)) for key, item in value.items))
        case Generator():
            return ("generator", value_key(value.element))
        case Closure():
            return ("closure", id(value.function.node), id(value.scope))
        case Method():
            return ("method", id(value.function.node), value_key(value.owner))
        case Partial():
            bound = (*map(value_key, value.arguments), *((n, value_key(v)) for n, v in value.keywords))
            return ("partial", value_key(value.function), *bound)
        case Transformed():
            return ("transformed", value.transformation.name, value_key(value.function))
        case Transformer():
            return ("transformer", value.transformation.name)
        case ClassValue():
            return ("class", id(value.definition))
        case Instance():
            return ("instance", id(value.definition), value.is_traced)
        case _:
            return value
