import jax
import jax.numpy as jnp
import numpy as np
from bucketing.cases import floats, integers, of, rows
from jax import lax
from jax.scipy import special

NAMES = (
    "abs asinh atan atan cbrt ceil cos erf erfc exp exp2 expm1 floor logistic neg round sign sin sinh square tan tanh"
)


def in_interval(low, high):
    return lambda random, b, t: (random.uniform(low, high, size=(b, 4)).astype(np.float32),)


def pair(random, b, t):
    return floats(random, b, 4), floats(random, b, 4)


def whole_pair(random, b, t):
    return integers(random, b), integers(random, b, low=1, high=30)


PAIR = {"x": {0: "b"}, "y": {0: "b"}}


def unsigned(x):
    u = x.astype(jnp.uint32)
    return {"clz": lax.clz(u), "population_count": lax.population_count(u), "mulhi": lax.mulhi(u, u)}


def bits(x, y):
    return {
        "and": x & y,
        "or": x | y,
        "xor": x ^ y,
        "not": ~x,
        "shift_left": lax.shift_left(x, y % 8),
        "shift_right_logical": lax.shift_right_logical(x, y % 8),
        "shift_right_arithmetic": lax.shift_right_arithmetic(x, y % 8),
        "bitcast": lax.bitcast_convert_type(x, jnp.float32),
        "rem": lax.rem(x, y),
        "sum": (x & y).sum() + (x ^ y).max(),
    }


def compared(x, y):
    chosen = jnp.where(x > y, x, y)
    return {
        "eq": x == y,
        "ne": x != y,
        "lt": x < y,
        "le": x <= y,
        "gt": x > y,
        "ge": x >= y,
        "select": chosen,
        "max": lax.max(x, y),
        "min": lax.min(x, y),
        "clamp": lax.clamp(-0.5, x, 0.5),
        "is_finite": lax.is_finite(x / (y - y)),
        "nextafter": lax.nextafter(x, y),
        "sum": jnp.where(x > y, x, 0.0).sum(0),
    }


def arithmetic(x, y):
    return x + y, x - y, x * y, x / (y + 9), jnp.atan2(x, y), jnp.abs(x) ** y, x**3, lax.rem(x, y), lax.rsqrt(x * x + 1)


def total_order(x, y):
    from stagelight.adapters.symbolic_registry import primitive

    return {name: primitive(name).bind(x, y) for name in ("eq_to", "lt_to", "le_to")}


def complexes(x, y):
    z = lax.complex(x, y)
    return z.real, z.imag, jnp.conj(z), jnp.abs(z), jnp.exp(z), (z * z).sum(0).real


def passed_through(x):
    kept, _ = lax.optimization_barrier((x, x))
    held = jax.device_put(lax.stop_gradient(kept), jax.devices()[0])
    constrained = lax.with_sharding_constraint(x, jax.sharding.SingleDeviceSharding(jax.devices()[0]))
    named = jax.checkpoint_name(x, "x") if hasattr(jax, "checkpoint_name") else _named(x)
    return held, constrained, named, x.copy(), x.astype(jnp.float16), lax.reduce_precision(x, 5, 10)


def _named(x):
    from jax.ad_checkpoint import checkpoint_name

    return checkpoint_name(x, "x")


def special_functions(x):
    return {
        "digamma": special.digamma(x),
        "lgamma": lax.lgamma(x),
        "bessel_i0e": special.i0e(x),
        "bessel_i1e": special.i1e(x),
        "log": jnp.log(x),
        "log1p": jnp.log1p(x),
        "log2": jnp.log2(x),
        "sqrt": jnp.sqrt(x),
        "acosh": jnp.arccosh(x + 1),
        "cosh": jnp.cosh(x),
        "sum": jnp.log(x).sum(0),
    }


def more_special(x):
    return {
        "igamma": special.gammainc(x, 1.5),
        "igammac": special.gammaincc(x, 1.5),
        "igamma_grad_a": jax.grad(lambda a: special.gammainc(a, 1.5).sum())(x),
        "zeta": special.zeta(x + 1.5, 2.0),
        "polygamma": special.polygamma(2, x),
        "betainc": special.betainc(x, 1.0, 0.5),
        "polynomial": jnp.polyval(jnp.ones(3), x),
    }


def inverse(x):
    return jnp.arccos(x), jnp.arcsin(x), jnp.arctanh(x), lax.erf_inv(x), jnp.arctanh(x).sum(0)


CASES = (
    of(lambda x: {n: getattr(lax, n)(x) for n in NAMES.split()}, name="one operand"),
    of(special_functions, in_interval(0.3, 3), name="special functions", rtol=1e-4),
    of(more_special, in_interval(0.3, 3), name="special functions of more operands", gradient=False, rtol=1e-4),
    of(inverse, in_interval(-0.9, 0.9), name="inverses", rtol=1e-4),
    of(arithmetic, pair, PAIR, name="arithmetic", rtol=1e-4),
    of(compared, pair, PAIR, name="comparison and choice"),
    of(total_order, pair, PAIR, name="comparison in the total order", gradient=False),
    of(bits, whole_pair, PAIR, name="bits", gradient=False),
    of(unsigned, lambda r, b, t: (integers(r, b, low=0),), name="unsigned", gradient=False),
    of(complexes, pair, PAIR, name="complex numbers", gradient=False),
    of(passed_through, rows, name="passed through"),
)
