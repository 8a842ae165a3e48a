from chat_ui.protocol.answers.data_points import read_data_points
from chat_ui.protocol.answers.place import NOWHERE, Place, place_of


def test_a_fragment_names_a_place():
    wanted = {
        "page=3": Place(3), "page=0": NOWHERE, "page=12345678": NOWHERE, "Page=03": Place(3), "homepage=3": NOWHERE,
        "slide=4": Place(slide=4), "row=4": Place(row=4),
        "row=4-7": Place(row=4), "Sheet1!B2:C9": Place(sheet="Sheet1", cells="B2:C9"),
        "sheet=Costs%202026&range=b2": Place(sheet="Costs 2026", cells="B2"),
        "sheet=Costs&range=?": Place(sheet="Costs"),
        "'Costs 2026'!$A$1": Place(sheet="Costs 2026", cells="A1"), "%27It''s%27!A1": Place(sheet="It's", cells="A1"),
        "range=A1:B2": Place(cells="A1:B2"), "sheet=A&row=4": Place(sheet="A", row=4),
        "payday": NOWHERE, "": NOWHERE, "Sheet1!B0": NOWHERE, "Really!": NOWHERE,
        "Costs!\u212a2": NOWHERE, "range=\u212a2": NOWHERE,
    }  # fmt: skip
    assert {fragment: place_of(fragment) for fragment in wanted} == wanted
    for place in wanted.values():
        assert place_of(place.fragment) == place
    assert Place(sheet="\ud800").fragment == "sheet=%3F"


def test_places_agree_where_one_can_be_in_the_other():
    sheet, cells = Place(sheet="Costs"), Place(sheet="costs", cells="B2")
    cases = {
        (sheet, cells): True, (cells, Place(sheet="Costs", cells="A1:D40")): True,
        (Place(cells="AA1:B3"), Place(cells="C2")): True, (cells, Place(sheet="Costs", cells="C3:D4")): False,
        (sheet, Place(sheet="Other")): False, (Place(slide=4), Place(page=4)): True,
        (Place(slide=4), Place(page=3)): False, (Place(row=4), Place(row=5)): False, (Place(slide=4), NOWHERE): True,
    }  # fmt: skip
    assert {(one, other): one.agrees_with(other) for one, other in cases} == cases
    assert {(one, other): other.agrees_with(one) for one, other in cases} == cases


def test_the_narrower_place_and_the_later_page_are_shown():
    assert Place(2).at(Place(4)) == Place(4).at(Place(2)) == Place(4)
    inside = Place(sheet="Costs", cells="B2")
    assert Place(sheet="Costs").at(inside) == Place(sheet="Costs", cells="A1:D9").at(inside) == inside
    assert inside.at(Place(sheet="Costs")) == inside.at(Place(sheet="Costs", cells="A1:D9")) == inside
    assert Place(slide=4).at(NOWHERE) == Place(slide=4)


def test_metadata_name_a_place():
    def names(**metadata: object) -> tuple[str, ...]:
        [point] = read_data_points({"data_points": [{"page_content": "t", "metadata": {"source": "a.x", **metadata}}]})
        return point.names

    assert names(slide_number=4) == ("a.x#slide=4",)
    assert names(slide="4") == ("a.x#slide=4",)
    assert names(sheet_name="My costs", row=7) == ("a.x#sheet=My%20costs&row=7",)
    assert names(page_name="Costs", page_number=2) == ("a.x#sheet=Costs", "a.x#page=2")
    assert names(row=0) == ("a.x#row=2",), "LangChain counts the rows below the head from 0"
    assert names(row="first", sheet=[1], slide=0) == ()
    assert names(sheet="\ud800") == ("a.x#sheet=%3F",)
