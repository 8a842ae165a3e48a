"""The tests of growth are able to fail."""

import pytest

from tests.growth import assert_cost_in_proportion


def test_a_cost_that_grows_with_the_length_passes_and_one_that_grows_with_its_square_fails():
    assert_cost_in_proportion(lambda length: length / 100_000, 1_000)
    with pytest.raises(pytest.fail.Exception, match="4 times as much"):
        assert_cost_in_proportion(lambda length: length**2 / 100_000_000, 300)
