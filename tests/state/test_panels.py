"""Which panel is open, and on what."""

from __future__ import annotations

from tests.state.pages import PANELS, Pages

ANSWER, OTHER = "/api/answers/a", "/api/answers/b"


async def test_sources_open_on_a_citation_on_a_data_point_or_as_they_are(pages: Pages):
    async with pages.page() as page:
        await page.boot()
        for event, arguments, address in (
            ("show_source", {"address": ANSWER, "use": 0}, f"{ANSWER}/sources?use=0"),
            ("toggle_sources", {"address": OTHER}, f"{OTHER}/sources"),
            ("toggle_sources", {"address": OTHER}, ""),
            ("toggle_sources", {"address": ANSWER}, f"{ANSWER}/sources"),
            ("show_source", {"address": ANSWER, "use": 2}, f"{ANSWER}/sources?use=2"),
            ("close_sources", {}, ""),
            ("toggle_sources", {"address": ANSWER}, f"{ANSWER}/sources"),
        ):
            await page.send(f"{PANELS}.{event}", arguments)
            await page.until(lambda state, address=address: state["sources_address"] == address)
            assert page.state["sources_point"] == -1


async def test_from_the_thoughts_one_goes_to_a_data_point_of_the_same_answer(pages: Pages):
    async with pages.page() as page:
        await page.boot()
        await page.send(f"{PANELS}.show_source", {"address": OTHER, "use": 1})
        await page.send(f"{PANELS}.show_thoughts", {"address": ANSWER})
        await page.until(lambda state: state["thoughts_address"] == f"{ANSWER}/thoughts")
        await page.send(f"{PANELS}.show_data_point", {"point": 0})
        state = await page.until(lambda state: state["sources_address"] == f"{ANSWER}/sources?point=0")
        assert (state["thoughts_address"], state["sources_use"]) == ("", -1)
        await page.send(f"{PANELS}.show_source", {"address": ANSWER, "use": 3})
        await page.until(lambda state: state["sources_address"] == f"{ANSWER}/sources?use=3")


async def test_what_travelled_is_shown_and_hidden_and_not_with_the_next_thoughts(pages: Pages):
    async with pages.page() as page:
        await page.boot()
        await page.send(f"{PANELS}.show_thoughts", {"address": ANSWER})
        for is_shown in (True, False, True):
            await page.send(f"{PANELS}.toggle_inspector")
            await page.hear()
            assert page.state["inspecting"] is is_shown
        await page.send(f"{PANELS}.show_thoughts", {"address": OTHER})
        await page.hear()
        assert not page.state["inspecting"]
        await page.send(f"{PANELS}.set_thoughts_open", {"is_open": True})
        await page.hear()
        assert page.state["thoughts_address"] == f"{OTHER}/thoughts"
        await page.send(f"{PANELS}.set_thoughts_open", {"is_open": False})
        await page.until(lambda state: state["thoughts_address"] == "")
