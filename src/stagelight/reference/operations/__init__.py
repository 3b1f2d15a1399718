"""The operations that the machine models: primitives with all their rules, and functions of ``jax.numpy`` over them."""
