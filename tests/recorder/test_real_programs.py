"""Programs of real libraries: the same results watched and unwatched, and causes in the user's names."""

import functools

import numpy as np
import pytest

import stagelight

jax = pytest.importorskip("jax")
jnp = jax.numpy

DATA = np.linspace(-1, 1, 40, dtype=np.float32).reshape(10, 4)
TARGET = DATA.sum(1, keepdims=True)


def nnx_training(batches):
    nnx, optax = pytest.importorskip("flax.nnx"), pytest.importorskip("optax")
    model = nnx.Linear(4, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)

    @nnx.jit
    def train_step(model, optimizer, x, y):
        loss, grads = nnx.value_and_grad(lambda m: ((m(x) - y) ** 2).mean())(model)
        optimizer.update(model, grads)
        return loss

    return [float(train_step(model, optimizer, DATA[b], TARGET[b])) for b in batches]


def linen_training(batches):
    linen, optax = pytest.importorskip("flax.linen"), pytest.importorskip("optax")
    from flax.training.train_state import TrainState

    model = linen.Dense(1)
    state = TrainState.create(
        apply_fn=model.apply, params=model.init(jax.random.key(0), DATA)["params"], tx=optax.sgd(1e-1)
    )

    @jax.jit
    def train_step(state, x, y):
        def loss_of(params):
            return ((state.apply_fn({"params": params}, x) - y) ** 2).mean()

        loss, grads = jax.value_and_grad(loss_of)(state.params)
        return state.apply_gradients(grads=grads), loss

    losses = []
    for b in batches:
        state, loss = train_step(state, DATA[b], TARGET[b])
        losses.append(float(loss))
    return losses


def equinox_training(batches):
    eqx, optax = pytest.importorskip("equinox"), pytest.importorskip("optax")
    model = eqx.nn.MLP(4, 1, 8, 1, key=jax.random.key(0))
    optimizer = optax.adam(1e-2)
    state = optimizer.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_jit
    def train_step(model, state, x, y):
        loss, grads = eqx.filter_value_and_grad(lambda m: ((jax.vmap(m)(x) - y) ** 2).mean())(model)
        updates, state = optimizer.update(grads, state, model)
        return eqx.apply_updates(model, updates), state, loss

    losses = []
    for b in batches:
        model, state, loss = train_step(model, state, DATA[b], TARGET[b])
        losses.append(float(loss))
    return losses


TRAININGS = [nnx_training, linen_training, equinox_training]
RAGGED = (slice(0, 4), slice(4, 8), slice(8, 10))


def watched(program):
    jax.clear_caches()
    with stagelight.watch() as ledger:
        result = program()
    return result, stagelight.why(ledger)


@pytest.mark.parametrize("training", TRAININGS, ids=lambda f: f.__name__)
def test_a_training_step_is_the_same_and_its_ragged_batch_is_named(training):
    program = functools.partial(training, RAGGED)
    plain = program()
    result, found = watched(program)
    assert result == plain
    again = [m for m in found.misses if m.function.name == "train_step" and m.avoidable and m.ledger == "trace"]
    assert [(c.slug, c.path, c.before, c.after) for m in again for c in m.causes] == [
        ("shape-changed", "x", "f32[4,4]", "f32[2,4]"),
        ("shape-changed", "y", "f32[4,1]", "f32[2,1]"),
    ]
    assert all(m.call.file == __file__ for m in again)


@pytest.mark.parametrize("training", TRAININGS, ids=lambda f: f.__name__)
def test_equal_batches_trace_once(training):
    _, found = watched(functools.partial(training, (slice(0, 4), slice(4, 8))))
    assert [m.causes[0].slug for m in found.misses if m.function.name == "train_step" and m.ledger == "trace"] == [
        "first-trace"
    ]


def test_numpyro_sampling_is_the_same_and_a_changed_data_size_is_seen():
    numpyro = pytest.importorskip("numpyro")
    from numpyro.infer import MCMC, NUTS

    def model(y):
        mu = numpyro.sample("mu", numpyro.distributions.Normal(0.0, 1.0))
        numpyro.sample("obs", numpyro.distributions.Normal(mu, 1.0), obs=y)

    def program():
        means = []
        for size in (5, 6):
            mcmc = MCMC(NUTS(model), num_warmup=5, num_samples=5, progress_bar=False)
            mcmc.run(jax.random.PRNGKey(0), jnp.ones(size))
            means.append(float(mcmc.get_samples()["mu"].mean()))
        return means

    plain = program()
    result, found = watched(program)
    assert result == plain
    assert any(m.avoidable for m in found.misses)


def test_blackjax_steps_are_the_same_and_trace_once():
    blackjax = pytest.importorskip("blackjax")

    def program():
        sampler = blackjax.rmh(lambda x: -0.5 * (x**2).sum(), blackjax.mcmc.random_walk.normal(jnp.ones(2)))

        @jax.jit
        def one_step(state, key):
            return sampler.step(key, state)[0]

        state = sampler.init(jnp.ones(2))
        for key in jax.random.split(jax.random.key(0), 4):
            state = one_step(state, key)
        return state.position.tolist()

    plain = program()
    result, found = watched(program)
    assert result == plain
    assert len([m for m in found.misses if m.function.name == "one_step" and m.ledger == "trace"]) == 1


def test_diffrax_solutions_are_the_same_and_a_new_right_hand_side_is_named():
    diffrax = pytest.importorskip("diffrax")

    def program():
        ends = []
        for _ in range(2):
            solution = diffrax.diffeqsolve(
                diffrax.ODETerm(lambda t, y, args: -y), diffrax.Euler(), t0=0.0, t1=1.0, dt0=0.5, y0=jnp.float32(1.0)
            )
            ends.append(float(solution.ys[0]))
        return ends

    plain = program()
    result, found = watched(program)
    assert result == plain
    slugs = {c.slug for m in found.misses if m.avoidable for c in m.causes}
    assert slugs & {"static-value-changed", "tree-metadata-changed", "static-object-recreated", "function-recreated"}
