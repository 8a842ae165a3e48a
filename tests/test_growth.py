"""The tests of growth are able to fail."""

import pytest

from tests.growth import assert_in_proportion


def test_what_grows_with_the_length_passes():
    assert_in_proportion(lambda length: sum(range(length)), 1_000)


def test_what_grows_with_the_square_of_the_length_fails():
    with pytest.raises(pytest.fail.Exception, match="4 times as much"):
        assert_in_proportion(lambda length: [sum(range(length)) for _ in range(length)], 300)
