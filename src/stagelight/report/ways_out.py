"""What to do about each cause, advisory and failure: one sentence a slug, in the order of the catalogue.

``{path}`` stands for the argument, setting or captured name of the evidence.
"""

_TRACE = {
    "shape-changed": "Drop or pad the odd sizes (the last batch, the growing axis), or wrap the function with "
    "stagelight.bucketed so that a few sizes serve all.",
    "dtype-changed": "Cast {path} to one dtype where it enters the program.",
    "weak-type-changed": "Give {path} an explicit dtype at its start value: jnp.asarray(value, dtype=jnp.float32), "
    "not a Python number.",
    "sharding-type-changed": "Place {path} once, with one sharding, before the first call.",
    "tree-structure-changed": "Keep one structure: always the same keys and lengths, and an array instead of None.",
    "tree-metadata-changed": "{path} is static: make it an array if it varies, or stop changing it between calls.",
    "argument-count-changed": "Pass the varying arguments as one tuple, list or stacked array of fixed length.",
    "call-convention-changed": "Pass {path} the same way in every call: always by name, or always by position.",
    "static-value-changed": "Make {path} a dynamic argument if it takes many values; a static argument is for a few.",
    "static-object-recreated": "Compare {path} by value: a dataclass with frozen=True, or __eq__ and __hash__; or keep "
    "one object.",
    "static-hash-unstable": "Compute __hash__ of {path} from the fields that __eq__ compares, and from nothing else.",
    "function-recreated": "Make the function once, outside the loop, and pass what varies as an argument.",
    "closure-value-changed": "Pass {path} as an argument instead of capturing it.",
    "method-owner-changed": "Keep the jitted method of one object; make the object a pytree argument if it varies.",
    "context-changed": "Set {path} once, before the first call, and leave it.",
    "cache-cleared": "Do not clear the caches in the program's main path.",
    "cache-evicted": "Keep the function alive, and have fewer specializations than the cache holds.",
    "new-combination": "Warm up each combination that will be needed, or let fewer parts of the key vary.",
    "earlier-trace-failed": "Mend the error of the earlier trace; each attempt traces anew.",
    "unknown": "No recorded part of the key differs. Please report this with the ledger.",
}

_COMPILE = {
    "committed-changed": "Put {path} on its device once, with jax.device_put, before the first call; or never.",
    "sharding-changed": "Give {path} one sharding, before the first call.",
    "device-changed": "Keep {path} on one device, or expect one compile a device.",
    "layout-changed": "Give {path} one layout: let the first call's input have the layout of the later ones.",
    "jit-options-changed": "Call jax.jit once with one set of options, and keep its result.",
}

_DISPATCH = {
    "host-array-argument": "Convert {path} once with jnp.asarray, outside the loop.",
    "jaxpr-reused": "Keep the jitted function; each new jax.jit wrapper begins with a slow call.",
    "effects-prevent-fast-path": "Ordered effects (ordered callbacks, debug prints) keep every call on the slow path.",
    "tracer-arguments": "Put jax.jit outside grad or vmap, so that the transformed function is compiled as one.",
    "fast-path-lost": "Mend the error that this signature raised earlier; its calls stay slow until then.",
}

_ADVISORIES = {
    "stale-capture": "The compiled program still uses the old value: pass {path} as an argument.",
    "many-specializations": "Let {path} vary less, or make it dynamic; each value is another trace and compile.",
    "single-use-specialization": "This key never came back: pad or bucket {path}, so that compiled code is used again.",
    "unrolled-loop": "Use jax.lax.scan or fori_loop: the Python loop became that many copies in the program.",
    "large-constant": "Pass {path} as an argument; as a captured array it is baked into every executable.",
    "growing-shapes": "Pad {path} to a few sizes (stagelight.bucketed), or allocate its final size at the start.",
    "trace-time-side-effect": "It ran while tracing and will not run again: use jax.debug.print or jax.debug.callback, "
    "and jax.random for random numbers.",
    "cond-became-select": "Under vmap both branches run: move the condition out of the mapped function if dear.",
}

_FAILURES = {
    "traced-condition": "Use jnp.where or jax.lax.cond for a runtime value; make it static if it is configuration.",
    "traced-bool-op": "Use jnp.logical_and, jnp.logical_or, jnp.minimum or jnp.maximum instead of Python's operators.",
    "traced-concretize": "Keep it an array (x.astype(...)) instead of a Python number; or make the argument static.",
    "traced-index-or-range": "Use jax.lax.dynamic_slice or jnp indexing, fori_loop for the range; or make it static.",
    "traced-shape-argument": "A shape must be known while tracing: make the argument static.",
    "numpy-on-traced": "Use jax.numpy in place of numpy inside traced code.",
    "data-dependent-shape": "The result's shape depends on data: use jnp.where with three arguments, or size=.",
    "traced-setitem": "Use x = x.at[index].set(value): arrays cannot be changed in place.",
    "unhashable-static-argument": "Give the static argument a hashable type: a tuple, a frozen dataclass, a string.",
    "metadata-not-comparable": "Static data of a pytree must compare with == to True or False: make the array a leaf.",
    "tracer-leak": "Return the value from the traced function; never keep it in an attribute, list or global.",
    "shape-mismatch": "Make the shapes agree; the message names both.",
    "branch-types-differ": "Let both branches give the same shapes and dtypes.",
    "carry-type-differs": "Let the loop's carry keep its shape and dtype, from the start value on.",
    "rejected-while-tracing": "The program's own check raised while tracing.",
    "other": "",
}

# The way out of shape-changed for a function that is bucketed already.
BUCKETED_SIZES = (
    "It is bucketed already, and these sizes ran without padding, as sizes 0 and 1 always do: warm them up, or keep "
    "them out."
)

# The key part that attribution names where a function is made anew, and no argument varies.
FUNCTION_OBJECT = "function object"

WAYS_OUT: dict[str, str] = _TRACE | _COMPILE | _DISPATCH | _ADVISORIES | _FAILURES


def way_out(slug: str, path: str = "") -> str:
    """What to do about a cause, in the names of its evidence; empty where nothing is needed.

    >>> way_out("dtype-changed", "x")
    'Cast x to one dtype where it enters the program.'
    """
    if path == FUNCTION_OBJECT:
        slug = "function-recreated"
    return WAYS_OUT.get(slug, "").replace("{path}", path or "the value")
