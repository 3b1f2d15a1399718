"""Random programs over the operations of the machine, and the comparison of two jaxprs.

A program is a list of instructions that runs on any pair of namespaces shaped like ``jax.numpy`` and ``jax.lax``.
"""

import ast
import io
import random
import tokenize

import numpy as np

UNARY = "negative abs sign exp log sin cos tanh sqrt square floor logical_not".split()
SMOOTH = "negative exp sin cos tanh square".split()
BINARY = (
    "add subtract multiply divide power maximum minimum equal not_equal less less_equal greater greater_equal "
    "logical_and logical_or bitwise_and bitwise_or"
).split()
SMOOTH_BINARY = "add subtract multiply maximum minimum".split()
REDUCTIONS = "sum mean max min any all".split()
DTYPES = ("float32", "float32", "float32", "int32", "bool", "float16", "uint8", "int8")
SHAPES = ((), (3,), (2, 3), (3, 3), (1, 3), (2,))
SCALARS = (2, 0.5, 1, 3.0, -1, True, np.float32(2), np.int32(3), np.float64(0.25))


def random_array(rng, dtype=None, shape=None):
    """An array of small values, so that no dtype overflows."""
    dtype = dtype or rng.choice(DTYPES)
    shape = rng.choice(SHAPES) if shape is None else shape
    values = np.array([rng.uniform(-2, 2) for _ in range(int(np.prod(shape)))]).reshape(shape)
    return (values > 0 if dtype == "bool" else np.abs(values) if dtype == "uint8" else values).astype(dtype)


class Program:
    """Instructions over a growing list of values; each is tried on ``probe`` before it is kept."""

    def __init__(self, seed, probe, *, smooth=False, length=8):
        self.rng = random.Random(seed)
        self.smooth = smooth
        if smooth:
            self.inputs = [random_array(self.rng, "float32", s) for s in ((3,), (2, 3), ())]
        else:
            self.inputs = [random_array(self.rng) for _ in range(3)] + [self.rng.choice([1.5, 2, 0.5])]
        self.constant = random_array(self.rng, "float32", (3,))
        self.steps = []
        while len(self.steps) < length:
            step = self.candidate(len(self.inputs) + len(self.steps))
            try:
                self.steps.append(step)
                probe(self)
            except Exception:  # a candidate that does not fit its operands
                self.steps.pop()

    def __call__(self, jnp, lax, jit, *inputs):
        values = list(inputs)
        constant = jnp.asarray(self.constant)
        for step in self.steps:
            values.append(step(jnp, lax, jit, values, constant))
        if not self.smooth:
            return values[len(inputs) :]
        return sum((jnp.sum(v * 0.1) for v in values[len(inputs) :]), 0.0)

    def candidate(self, count):
        rng = self.rng
        j = rng.randrange(count)
        recent = count - 1 - rng.randrange(min(3, count))
        makers = [self.unary, self.binary, self.scalar, self.reduction, self.shaping, self.indexing]
        makers += [self.joining, self.choosing, self.making, self.control, self.loop, self.constants]
        return rng.choice(makers)(recent, j, rng)

    def unary(self, i, j, rng):
        name = rng.choice(SMOOTH if self.smooth else UNARY)
        return lambda jnp, lax, jit, v, c: getattr(jnp, name)(v[i])

    def binary(self, i, j, rng):
        name = rng.choice(SMOOTH_BINARY if self.smooth else BINARY)
        return lambda jnp, lax, jit, v, c: getattr(jnp, name)(v[i], v[j])

    def scalar(self, i, j, rng):
        name, s, left = rng.choice(SMOOTH_BINARY if self.smooth else BINARY), rng.choice(SCALARS), rng.random() < 0.3
        return lambda jnp, lax, jit, v, c: getattr(jnp, name)(*((s, v[i]) if left else (v[i], s)))

    def reduction(self, i, j, rng):
        name = rng.choice(["sum", "mean", "max"] if self.smooth else REDUCTIONS)
        options = {"axis": rng.choice([None, 0, -1])}
        if rng.random() < 0.4:
            options["keepdims"] = True
        return lambda jnp, lax, jit, v, c: getattr(jnp, name)(v[i], **options)

    def shaping(self, i, j, rng):
        return rng.choice(
            [
                lambda jnp, lax, jit, v, c: jnp.reshape(v[i], -1),
                lambda jnp, lax, jit, v, c: jnp.reshape(v[i], (3, -1)),
                lambda jnp, lax, jit, v, c: jnp.transpose(v[i]),
                lambda jnp, lax, jit, v, c: jnp.expand_dims(v[i], 0),
                lambda jnp, lax, jit, v, c: jnp.squeeze(v[i]),
                lambda jnp, lax, jit, v, c: jnp.broadcast_to(v[i], (2, 3)),
                lambda jnp, lax, jit, v, c: jnp.dot(v[i], v[j]),
                lambda jnp, lax, jit, v, c: v[i] @ v[j],
            ]
        )

    def indexing(self, i, j, rng):
        return rng.choice(
            [
                lambda jnp, lax, jit, v, c: v[i][0],
                lambda jnp, lax, jit, v, c: v[i][-1],
                lambda jnp, lax, jit, v, c: v[i][1:],
                lambda jnp, lax, jit, v, c: v[i][::2],
                lambda jnp, lax, jit, v, c: v[i][:, 1],
                lambda jnp, lax, jit, v, c: v[i][None],
                lambda jnp, lax, jit, v, c: v[i][..., 0],
                lambda jnp, lax, jit, v, c: v[i][::-1],
                lambda jnp, lax, jit, v, c: v[i][jnp.sum(jnp.asarray([1, 0]))],
                lambda jnp, lax, jit, v, c: jnp.stack(list(v[i])[::-1]),
            ]
        )

    def joining(self, i, j, rng):
        axis = rng.choice([0, -1])
        name = rng.choice(["concatenate", "stack"])
        return lambda jnp, lax, jit, v, c: getattr(jnp, name)([v[i], v[j]], axis=axis)

    def choosing(self, i, j, rng):
        options = [
            lambda jnp, lax, jit, v, c: jnp.where(v[i] > 0, v[i], v[j]),
            lambda jnp, lax, jit, v, c: jnp.where(v[i] > 0.5, v[i], 0.0),
            lambda jnp, lax, jit, v, c: jnp.where(v[i], 1, v[j]),
        ]
        return rng.choice(options)

    def making(self, i, j, rng):
        dtype = rng.choice(["float32", "int32", "bool", "float16"])
        options = [
            lambda jnp, lax, jit, v, c: v[i] + jnp.zeros((3,)),
            lambda jnp, lax, jit, v, c: v[i] * jnp.arange(3),
            lambda jnp, lax, jit, v, c: v[i] + jnp.arange(1, 7, 2),
            lambda jnp, lax, jit, v, c: jnp.full((2,), v[i]),
            lambda jnp, lax, jit, v, c: jnp.ones_like(v[i]) + v[i],
        ]
        if not self.smooth:
            options += [
                lambda jnp, lax, jit, v, c: v[i].astype(dtype),
                lambda jnp, lax, jit, v, c: jnp.array([v[i], v[j]]),
            ]
        return rng.choice(options)

    def constants(self, i, j, rng):
        options = [
            lambda jnp, lax, jit, v, c: v[i] + c,
            lambda jnp, lax, jit, v, c: v[i] * c + c,
            lambda jnp, lax, jit, v, c: v[i] + self.constant,
            lambda jnp, lax, jit, v, c: jit(lambda x: jnp.sin(x) * c)(v[i]),
            lambda jnp, lax, jit, v, c: jit(lambda x, n: x * n, static_argnums=1)(v[i], 3),
            lambda jnp, lax, jit, v, c: jit(lambda x: (x, x * v[j]))(v[i])[1],
        ]
        return rng.choice(options)

    def control(self, i, j, rng):
        options = [
            lambda jnp, lax, jit, v, c: lax.cond(jnp.sum(v[i]) > 0, lambda x: x * 2, lambda x: -x, v[j]),
            lambda jnp, lax, jit, v, c: lax.cond(jnp.sum(v[i]) > 0, lambda x: x * c, lambda x: x + c, v[j]),
            lambda jnp, lax, jit, v, c: lax.cond(jnp.sum(v[i]) > 0, lambda: v[j], lambda: v[j] * 2),
            lambda jnp, lax, jit, v, c: lax.cond(jnp.sum(v[i]) > 0, lambda d: d, lambda d: {"p": -d["p"]}, {"p": v[j]})[
                "p"
            ],
            lambda jnp, lax, jit, v, c: lax.switch(
                jnp.sum(jnp.asarray([1, 0])), [lambda x: x, lambda x: x * 2, lambda x: x - v[i]], v[j]
            ),
        ]
        return rng.choice(options)

    def loop(self, i, j, rng):
        options = [
            lambda jnp, lax, jit, v, c: lax.fori_loop(0, 3, lambda k, x: x * 0.5 + k, v[i]),
            lambda jnp, lax, jit, v, c: lax.fori_loop(0, 2, lambda k, x: x + v[j], v[i]),
            lambda jnp, lax, jit, v, c: lax.fori_loop(0, 2, lambda k, x: x + v[i][k] * c[k], v[j]),
            lambda jnp, lax, jit, v, c: lax.scan(lambda s, x: (s + x, s * x), 0.0, v[i])[1],
            lambda jnp, lax, jit, v, c: lax.scan(lambda s, x: (s + x, (s, x)), v[j], v[i])[1][0],
            lambda jnp, lax, jit, v, c: lax.scan(lambda s, x: (s * 0.5 + jnp.sum(x), None), 1.0, v[i])[0],
            lambda jnp, lax, jit, v, c: lax.scan(lambda s, x: (s + x * c[0], s), 0.0, v[i], reverse=True)[0],
        ]
        if not self.smooth:
            options += [
                lambda jnp, lax, jit, v, c: lax.while_loop(
                    lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 0.5), (0, v[i])
                )[1],
                lambda jnp, lax, jit, v, c: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1]), (0, v[i]))[
                    1
                ],
                lambda jnp, lax, jit, v, c: lax.fori_loop(
                    0, jnp.sum(jnp.asarray([1, 1])), lambda k, x: x * 0.5 + k, v[i]
                ),
            ]
        return rng.choice(options)


# Parameters of JAX that say where, not what: placement, layout, donation, and ones that follow from the rest.
UNMODELLED = set(
    "sharding out_sharding ctx_mesh in_shardings out_shardings in_layouts out_layouts donated_invars keep_unused "
    "inline compiler_options_kvs precision accuracy linear _split_transpose ft_in ft_out num_consts num_carry "
    "mode".split()
)


def differences(theirs, ours):
    """Where two jaxprs differ after renaming variables, as texts."""
    told = []
    _compare(getattr(theirs, "jaxpr", theirs), ours, told, "")
    return told


def _aval(aval):
    return tuple(aval.shape), str(aval.dtype), bool(aval.weak_type)


def _plain(value):
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    return str(value) if isinstance(value, np.dtype) else value


def _compare(theirs, ours, told, at):
    names = ({}, {})

    def atom(side, a):
        if hasattr(a, "val") or hasattr(a, "text"):
            text = a.text if hasattr(a, "text") else str(np.asarray(a.val).item())
            return "literal", text, _aval(a.aval)
        return "variable", names[side].setdefault(a, len(names[side])), _aval(a.aval)

    def same(what, mine, yours):
        if mine != yours:
            told.append(f"{at}{what}: JAX has {mine}, the machine {yours}")

    ours_of = (ours.constants, ours.inputs)
    for what, mine, yours in zip(("constants", "inputs"), (theirs.constvars, theirs.invars), ours_of, strict=True):
        same(what, [atom(0, a) for a in mine], [atom(1, a) for a in yours])
    same("number of equations", [e.primitive.name for e in theirs.eqns], [e.primitive.name for e in ours.equations])
    for n, (mine, yours) in enumerate(zip(theirs.eqns, ours.equations, strict=False)):
        where = f"equation {n} ({mine.primitive.name}) "
        same(f"{where}operands", [atom(0, a) for a in mine.invars], [atom(1, a) for a in yours.inputs])
        same(f"{where}results", [atom(0, a) for a in mine.outvars], [atom(1, a) for a in yours.outputs])
        for name in sorted((set(mine.params) | set(yours.params)) - UNMODELLED):
            _compare_param(name, mine.params.get(name), yours.params.get(name), told, f"{at}{where}")
    same("results", [atom(0, a) for a in theirs.outvars], [atom(1, a) for a in ours.outputs])


def _compare_param(name, mine, yours, told, at):
    pairs = list(zip(mine, yours, strict=True)) if name == "branches" else [(mine, yours)]
    for a, b in pairs:
        if hasattr(b, "equations") and a is not None:
            _compare(getattr(a, "jaxpr", a), b, told, f"{at}{name} > ")
        elif _plain(a) != _plain(b):
            told.append(f"{at}{name}: JAX has {a}, the machine {b}")


def equation_count(jaxpr, primitives):
    """Equations, inner ones included; the names of their primitives are added to a set."""
    count = 0
    for equation in jaxpr.equations:
        primitives.add(equation.primitive.name)
        values = [v for value in equation.params.values() for v in (value if isinstance(value, tuple) else (value,))]
        count += 1 + sum(equation_count(v, primitives) for v in values if hasattr(v, "equations"))
    return count


def probe_on(machine):
    """Whether a program can be staged: candidates that do not fit their operands raise."""

    def probe(program):
        machine.make_jaxpr(lambda *a: program(machine.numpy, machine.lax, machine.jit, *a))(*program.inputs)

    return probe


def distance(a, b):
    """The largest difference relative to one plus the size; infinite where shape, dtype or a nan differ."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return float("inf")
    a, b = a.astype(np.float64), b.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        apart = np.where(same, 0.0, np.abs(a - b) / (1 + np.abs(a)))
    return float(np.max(np.nan_to_num(apart, nan=np.inf), initial=0.0))


def value_pairs(number, machine):
    """What a program gives on JAX and on the machine, under each transformation."""
    import jax
    import jax.numpy as jnp

    probe = probe_on(machine)

    def on_both(program):
        ours = lambda *a: program(machine.numpy, machine.lax, machine.jit, *a)
        return (lambda *a: program(jnp, jax.lax, jax.jit, *a)), ours

    program = Program(number, probe)
    theirs, ours = on_both(program)
    wanted = jax.jit(theirs)(*program.inputs)
    yield "values, staged", wanted, machine.jit(ours)(*program.inputs)
    yield "values, eager", wanted, ours(*map(machine.numpy.asarray, program.inputs))
    program = Program(number, probe, smooth=True)
    theirs, ours = on_both(program)
    gradient = machine.grad(ours, argnums=(0, 1, 2))
    wanted = jax.jit(jax.grad(theirs, argnums=(0, 1, 2)))(*program.inputs)
    yield "grad", wanted, gradient(*program.inputs)
    yield "jit of grad", wanted, machine.jit(gradient)(*program.inputs)
    batch = [np.stack([x, x * 0.5, -x]) for x in program.inputs]
    wanted = [jax.jit(jax.vmap(theirs))(*batch)]
    yield "vmap", wanted, [machine.vmap(ours)(*batch)]
    yield "jit of vmap", wanted, [machine.jit(machine.vmap(ours))(*batch)]
    wanted = [jax.jit(jax.vmap(jax.grad(theirs)))(*batch)]
    yield "vmap of grad", wanted, [machine.vmap(machine.grad(ours))(*batch)]
    wanted = [jax.jit(jax.grad(lambda *a: jnp.sum(jax.vmap(theirs)(*a))))(*batch)]
    yield "grad of vmap", wanted, [machine.grad(lambda *a: machine.numpy.sum(machine.vmap(ours)(*a)))(*batch)]


def code_line_count(path):
    """Lines of code of a file: no blank lines, comments or docstrings."""
    text = path.read_text()
    documented = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            documented.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skipped:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - documented)
