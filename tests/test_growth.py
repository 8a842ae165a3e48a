import pytest

from tests.growth import assert_cost_in_proportion


def test_a_linear_cost_passes_and_a_quadratic_one_fails():
    assert_cost_in_proportion(lambda length: length / 100_000, 1_000)
    with pytest.raises(pytest.fail.Exception, match="4 times as much"):
        assert_cost_in_proportion(lambda length: length**2 / 100_000_000, 300)
