from attribution.programs import Program, f32, only


def test_tracers_of_an_eager_transformation():
    program = Program()
    program.first_call(x=f32(3))
    cause = only(program.call(x=f32(3), tracers=("JVPTracer",)))
    assert (cause.slug, cause.after) == ("tracer-arguments", "JVPTracer")


def test_a_call_inside_a_trace_has_no_fast_path_to_leave():
    program = Program()
    program.first_call(x=f32(3))
    assert program.call(x=f32(3), tracers=("DynamicJaxprTracer",)) == []
