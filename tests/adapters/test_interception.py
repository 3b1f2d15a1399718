import types

from stagelight.adapters.interception import Interception


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
