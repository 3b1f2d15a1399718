from stagelight.sizes.observed import SeenCall, varying_sizes


def seen(batch, length, calls=1):
    return SeenCall(shapes=(("x", (batch, length)), ("y", (batch,)), ("w", (3, "n"))), calls=calls)


def test_axes_that_vary_together_are_one_size():
    (size,) = varying_sizes([seen(5, 9), seen(6, 9), seen(30, 9, calls=10)], compile_cost=1)
    assert size.axes == (("x", 0), ("y", 0))
    assert size.counts == ((5, 1), (6, 1), (30, 10))
    assert size.edges == (6, 30)
    assert 0 < size.padding_share < 0.01


def test_axes_that_vary_apart_are_two_sizes():
    found = varying_sizes([seen(5, 9), seen(5, 12), seen(6, 12)])
    assert [size.axes for size in found] == [(("x", 0), ("y", 0)), (("x", 1),)]


def test_what_does_not_vary_is_left_out():
    assert varying_sizes([seen(5, 9), seen(5, 9)]) == ()
