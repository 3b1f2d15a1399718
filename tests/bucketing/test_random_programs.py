from bucketing.random_programs import PROGRAMS, differences
from hypothesis import HealthCheck, given, settings


@settings(max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(PROGRAMS)
def test_random_programs_are_equal_to_the_last_bit(steps):
    assert differences(steps) == 0
