"""A bucketed axis split over devices; in a process of its own, since JAX fixes its devices when it starts."""

import subprocess
import sys

from gates.tree import ROOT

PROGRAM = """
import jax, numpy as np, stagelight
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
split, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())

def step(w, x):
    return x.mean(0) * w, x - x.mean(0)

options = dict(dims={"x": {0: "b"}}, in_shardings={"w": everywhere, "x": split})
function = stagelight.bucketed(step, buckets=stagelight.multiples(8), **options)
for size in (9, 13, 16):
    x = np.random.default_rng(0).normal(size=(size, 3)).astype(np.float32)
    mean, rest = function(np.ones(3, np.float32), x)
    np.testing.assert_allclose(mean, x.mean(0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(rest, x - x.mean(0), rtol=1e-5, atol=1e-6)
print(function.compiles, len(mean.sharding.device_set))

try:
    stagelight.bucketed(step, buckets=[9], **options)(np.ones(3, np.float32), np.ones((5, 3), np.float32))
except stagelight.UsageError as error:
    print(error)

other = jax.device_put(np.ones((5, 3), np.float32), jax.devices()[1])
mean, _ = stagelight.bucketed(step, dims={"x": {0: "b"}})(np.ones(3, np.float32), other)
print(mean.device == jax.devices()[1])
"""


def test_capacities_divide_the_mesh_and_arrays_stay_on_their_device():
    environment = {"PYTHONPATH": str(ROOT / "src"), "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    counts, refusal, device = ran.stdout.splitlines()
    assert counts == "1 4"
    assert "axis 0 of x has the capacity 9, which does not divide over 4 devices" in refusal
    assert "multiples(4)" in refusal
    assert device == "True"
