"""A program behaves, prints, raises and exits under Stagelight as it does without."""

import pytest

from stagelight.model.event import Ended, NotHandled, Traced
from tests.recorder.programs import python, recorded, run, write

pytest.importorskip("jax")

TALKATIVE = """
    import atexit, functools, gc, logging, os, sys, threading, weakref
    import jax, jax.numpy as jnp, numpy as np

    jax.config.update("jax_compilation_cache_dir", os.environ["CACHE"])
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    atexit.register(print, "at exit")

    def say(what):
        # How often older JAX hashes and compares differs from run to run, watched or not.
        if jax.__version_info__ >= (0, 12): print(what)

    class Rude:
        "Prints and computes whenever it is touched."
        def __init__(self, n): self.n = n
        def __hash__(self): say("hash"); return hash(self.n)
        def __eq__(self, other): say("eq"); return bool(jnp.array(self.n) == other.n)
        def __repr__(self): print("repr"); raise RuntimeError("no repr")

    class Slow:
        def __repr__(self): return "x" * 1_000_000
        def __getattr__(self, name): print("getattr", name); raise AttributeError(name)

    @functools.partial(jax.jit, static_argnums=1)
    def with_static(x, rude): return x * rude.n
    print(float(with_static(2.0, Rude(3))), float(with_static(2.0, Rude(3))), float(with_static(2.0, Rude(4))))

    captured = Slow()
    @jax.jit
    def with_capture(x): print("tracing"); captured; return x + 1
    print(float(with_capture(1.0)), with_capture.__wrapped__.__name__, with_capture._cache_size())

    def temporary():
        def inner(x): return x * 2
        return weakref.ref(inner), float(jax.jit(inner)(1.0))
    ref, value = temporary(); gc.collect(); print(value, ref() is None)

    print([n.split("(")[0] for n in str(jax.jit(lambda x: jnp.sin(x)).lower(1.0).as_text()).splitlines()][:3])
    print(__name__, __file__ == os.path.abspath(sys.argv[0]), sys.argv[1:], __spec__)
    print(sys.path[0] == os.path.dirname(__file__))
    print(type(with_capture).__name__, isinstance(with_capture, jax.stages.Wrapped))
    def last():
        threading.main_thread().join(); print(float(with_capture(jnp.int32(1))))
    threading.Thread(target=last).start()
    try: jax.jit(lambda x: 1 if x else 2)(1.0)
    except jax.errors.TracerBoolConversionError as e: print(type(e).__name__, str(e).splitlines()[0])
    def fails(x):
        return jnp.ones(3) + x
    jax.jit(fails)(np.ones(4, np.float32))
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    folder = tmp_path_factory.mktemp("harm")
    program = write(folder, TALKATIVE)
    # One path for both: JAX 0.9 has the cache's folder in the key.
    cache = folder / "cache"
    plain = python(program, "a", "b", CACHE=str(cache))
    cache.rename(folder / "plain")
    watched = run(program, "-q", arguments=("a", "b"), CACHE=str(cache))
    cache.rename(folder / "watched")
    return folder, program, plain, watched


def test_the_output_is_the_same(both):
    _, _, plain, watched = both
    assert watched.stdout == plain.stdout
    assert "at exit" in plain.stdout


def test_the_traceback_and_the_exit_code_are_the_same(both):
    _, _, plain, watched = both
    assert watched.stderr == plain.stderr
    assert "jax.jit(fails)" in plain.stderr
    assert watched.returncode == plain.returncode == 1


def test_the_keys_of_the_persistent_cache_are_the_same(both):
    folder = both[0]
    plain, watched = ({p.name for p in (folder / name).iterdir()} for name in ("plain", "watched"))
    keys = {name for name in plain if name.endswith("-cache")}
    assert keys
    assert keys == {name for name in watched if name.endswith("-cache")}


def test_all_of_it_was_recorded_all_the_same(both):
    seen = recorded(both[1])
    assert len(seen.of(Traced, "with_static")) == 2
    assert len(seen.of(Traced, "with_capture")) == 2
    assert seen.of(NotHandled)
    (ended,) = seen.of(Ended)
    assert (ended.exit_code, ended.problems) == (1, ())


def test_no_frame_of_ours_is_entered_on_the_cached_path():
    import sys

    import jax

    from stagelight.recorder.ownership import Ownership
    from stagelight.recorder.watching import watch

    double = jax.jit(lambda x: x * 2)
    entered = []

    def profile(frame, event, argument):
        if event == "call" and Ownership().of(frame.f_code.co_filename) == "stagelight":
            entered.append(frame.f_code.co_qualname)

    with watch():
        double(1.0)
        sys.setprofile(profile)
        try:
            for _ in range(10_000):
                double(1.0)
        finally:
            sys.setprofile(None)
    assert entered == []
