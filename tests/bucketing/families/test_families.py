import pytest
from bucketing.cases import assert_equals_unpadded
from bucketing.families.every_case import ALL


@pytest.mark.parametrize("case", ALL, ids=repr)
def test_equals_the_unpadded_function_whatever_is_in_the_padding(case):
    assert_equals_unpadded(case)
