from tools.scale import BOUNDS, figures


def test_no_figure_is_above_its_bound():
    found = figures()
    assert found.keys() == BOUNDS.keys()
    assert {what: count for what, count in found.items() if count > BOUNDS[what]} == {}, "see `python -m tools.scale`"
