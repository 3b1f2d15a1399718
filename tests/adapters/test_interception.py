import types

from stagelight.adapters.interception import Interception, rest, take_up_all


def module_with(**names):
    module = types.ModuleType("somewhere")
    module.__dict__.update(names)
    return module


def replaced_by(value):
    def make(original):
        def replacement(*args):
            return value

        return replacement

    return make


def test_a_global_with_the_expected_parameters_is_replaced_and_restored():
    def original(fun, ji):
        return "original"

    capabilities: dict[str, str] = {}
    module, interception = module_with(trace=original), Interception(capabilities)
    assert interception.replace(module, "trace", ("fun", "ji"), replaced_by("ours"), "traces")
    assert (module.trace(1, 2), capabilities) == ("ours", {"traces": "on"})
    interception.restore()
    assert module.trace is original


def test_other_parameters_turn_the_capability_off_by_name():
    def original(function, info):
        return "original"

    capabilities: dict[str, str] = {}
    module = module_with(trace=original)
    assert not Interception(capabilities).replace(module, "trace", ("fun", "ji"), replaced_by("ours"), "traces")
    assert module.trace is original
    assert capabilities == {"traces": "off: somewhere.trace takes (function, info) in this JAX"}


def test_a_missing_global_turns_the_capability_off_by_name():
    capabilities: dict[str, str] = {}
    assert not Interception(capabilities).replace(module_with(), "trace", (), replaced_by("ours"), "traces")
    assert capabilities == {"traces": "off: this JAX has no somewhere.trace"}


def test_a_global_that_somebody_else_replaced_since_is_left_alone():
    def original(fun):
        return "original"

    module, interception = module_with(trace=original), Interception({})
    interception.replace(module, "trace", ("fun",), replaced_by("ours"), "traces")
    module.trace = theirs = lambda fun: "theirs"
    interception.restore()
    assert module.trace is theirs


def test_a_replacement_rests_until_it_is_taken_up():
    def original(fun):
        return "original"

    module, interception = module_with(trace=original), Interception({})
    replaced = interception.replace(module, "trace", ("fun",), replaced_by("ours"), "traces")
    rest(replaced)
    assert module.trace is original
    take_up_all()
    assert module.trace(1) == "ours"
    interception.restore()
    assert module.trace is original


def test_a_replacement_put_over_one_that_rests_takes_it_up_first():
    def original(fun):
        return ["original"]

    def before(value):
        def make(original):
            return lambda fun: [value, *original(fun)]

        return make

    module, below, above = module_with(trace=original), Interception({}), Interception({})
    rest(below.replace(module, "trace", ("fun",), before("below"), "traces"))
    above.replace(module, "trace", ("fun",), before("above"), "traces")
    assert module.trace(1) == ["above", "below", "original"]
    above.restore()
    below.restore()
    assert module.trace is original


def test_what_somebody_else_replaced_during_a_rest_is_left_alone():
    def original(fun):
        return "original"

    module, interception = module_with(trace=original), Interception({})
    rest(interception.replace(module, "trace", ("fun",), replaced_by("ours"), "traces"))
    module.trace = theirs = lambda fun: "theirs"
    take_up_all()
    assert module.trace is theirs
