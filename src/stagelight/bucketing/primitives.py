"""Every primitive that JAX 0.12 registers, in two tuples.

A primitive that JAX adds is in neither, which a test notices: it must be looked at before it is used on padded arrays.
"""

# Each has a rule, and a test that plants NaN and huge integers in its padding.
TESTED = tuple(
    """
    abs acos acosh add add_any and argmax argmin asin asinh atan atan2 atanh bessel_i0e bessel_i1e
    bitcast_convert_type broadcast_in_dim call_hi_primitive cbrt ceil cholesky clamp clz complex composite
    concatenate cond conj conv_general_dilated convert_element_type copy cos cosh cumlogsumexp cummax cummin
    cumprod cumsum custom_jvp_call custom_linear_solve custom_vjp_call custom_vmap_call device_put digamma
    dim_as_value div dot_general dynamic_slice dynamic_update_slice eig eigh empty eq eq_to erf erf_inv erfc
    eval_jaxpr exp exp2 expm1 fft floor gather ge geqp3 geqrf gt hessenberg householder_product igamma
    igamma_grad_a igammac imag integer_pow iota is_finite jit le le_to lgamma linear_call log log1p log2
    logistic lt lt_to lu lu_pivots_to_permutation max min mul mulhi name ne neg nextafter not one_minus_square
    optimization_barrier or pad polygamma polynomial population_count pow qr ragged_dot_general random_bits
    random_clone random_fold_in random_gamma random_seed random_split random_unwrap random_wrap real reduce
    reduce_and reduce_max reduce_min reduce_or reduce_precision reduce_prod reduce_sum reduce_window
    reduce_window_max reduce_window_min reduce_window_sum reduce_xor regularized_incomplete_beta rem remat2
    reshape rev round rsqrt scan scatter scatter-add scatter-max scatter-min scatter-mul scatter-sub schur
    select_and_scatter_add select_n sharding_constraint shift_left shift_right_arithmetic shift_right_logical
    sign sin sinh slice sort split sqrt square squeeze stack stop_gradient sub svd tan tanh threefry2x32 tile
    top_k transpose triangular_solve tridiagonal tridiagonal_solve unstack while xor zeta
    """.split()  # noqa: SIM905
)

# Refused wherever a ragged dimension occurs: effects and callbacks, collectives and devices, references, calls into
# code that cannot be seen, and results that depend on the padded size.
REFUSED = tuple(
    """
    accum_grad_in_ref addupdate after_all all_gather all_gather_done all_gather_invariant all_gather_reduced
    all_gather_reduced_start all_gather_start all_to_all all_to_all_done all_to_all_start approx_top_k
    axis_index broadcast_to call_exported call_hi_primitive_linearized check cholesky_update create_linear
    create_token cudnn_fusion custom_lin custom_partitioning dce_sink debug_callback debug_print dimension_size
    dot_product_attention_bwd dot_product_attention_bwd_wrapper dot_product_attention_fp8_bwd
    dot_product_attention_fp8_bwd_wrapper dot_product_attention_fp8_fwd dot_product_attention_fp8_fwd_wrapper
    dot_product_attention_fwd dot_product_attention_fwd_wrapper empty2 empty_ref ffi_call free_ref freeze
    from_edtype get inspect_sharding io_callback iota_2x32_shape layout_constraint new_ref ormqr pbroadcast
    pbroadcast_dynamic philox2x32 philox4x32 pin platform_index pmax pmin ppermute ppermute_done ppermute_start
    precv preduced psend psum psum_done psum_invariant psum_invariant_start pure_callback pvary
    ragged_all_to_all reduce_scatter reduce_scatter_done reduce_scatter_start reduced_vary_cast relayout
    remat_opt reshard rng_bit_generator rng_uniform run_state scaled_dot scaled_matmul scaled_matmul_wrapper
    select_and_gather_add select_and_scatter shape_assertion shard_map stage swap symmetric_product threefry4x32
    tie to_edtype unpin unreachable unreduced_pmax unreduced_pmin unreduced_psum unreduced_reduce_scatter
    vary_unreduced_cast with_memory_space_constraint
    """.split()  # noqa: SIM905
)

# Names that other JAX versions give to primitives above, or that later versions have dropped.
OTHER_VERSIONS = tuple(
    """
    checkpoint closed_call copy_p core_call custom_jvp_call_jaxpr custom_vjp_call_jaxpr pjit remat
    """.split()  # noqa: SIM905
)
