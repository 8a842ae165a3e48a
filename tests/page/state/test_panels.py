from pathlib import Path

import pytest

from chat_ui.page.state.list_panel import ListState
from tests.page.state.pages import LIST, PANELS, Pages
from tests.page_socket import CHAT, PageSocket

pytestmark = pytest.mark.asyncio(loop_scope="module")
SCRIPT_OF_LIST = Path("chat_ui/page/conversations/conversation_list.jsx").read_text()
ANSWER, OTHER = "/api/answers/a", "/api/answers/b"


async def test_sources_and_thoughts_replace_each_other_in_the_panel(page: PageSocket):
    for event, arguments, addresses in (
        ("show_source", {"address": ANSWER, "use": 0}, (f"{ANSWER}/sources?use=0", "")),
        ("toggle", {"address": OTHER, "tab": "sources"}, (f"{OTHER}/sources", "")),
        ("toggle", {"address": OTHER, "tab": "sources"}, ("", "")),
        ("toggle", {"address": ANSWER, "tab": "sources"}, (f"{ANSWER}/sources", "")),
        ("show_source", {"address": ANSWER, "use": 2}, (f"{ANSWER}/sources?use=2", "")),
        ("show_point", {"address": OTHER, "point": 2}, (f"{OTHER}/sources?point=2", "")),
        ("show_point", {"address": OTHER, "point": -1}, (f"{OTHER}/sources", "")),
        ("close", {}, ("", "")),
        ("toggle", {"address": ANSWER, "tab": "sources"}, (f"{ANSWER}/sources", "")),
        ("close", {}, ("", "")),
        ("toggle", {"address": ANSWER, "tab": "thoughts"}, ("", f"{ANSWER}/thoughts")),
        ("show_tab", {"tab": "sources"}, (f"{ANSWER}/sources", "")),
        ("show_tab", {"tab": "thoughts"}, ("", f"{ANSWER}/thoughts")),
        ("show_tab", {"tab": "<b>"}, ("", f"{ANSWER}/thoughts")),
        ("toggle", {"address": OTHER, "tab": "thoughts"}, ("", f"{OTHER}/thoughts")),
        ("show_source", {"address": OTHER, "use": 1}, (f"{OTHER}/sources?use=1", "")),
        ("toggle", {"address": ANSWER, "tab": "thoughts"}, ("", f"{ANSWER}/thoughts")),
        ("show_data_point", {"point": 0}, (f"{ANSWER}/sources?point=0", "")),
        ("toggle", {"address": OTHER, "tab": "thoughts"}, ("", f"{OTHER}/thoughts")),
        ("toggle", {"address": OTHER, "tab": "thoughts"}, ("", "")),
    ):
        await page.do(f"{PANELS}.{event}", arguments)
        assert (page.state["sources_address"], page.state["thoughts_address"]) == addresses, event


async def test_a_panel_belongs_to_the_conversation_where_it_was_opened(page: PageSocket):
    await page.do(f"{PANELS}.toggle", {"address": ANSWER, "tab": "thoughts"})
    first = page.state["conversation_id"]
    assert page.state["conversation"] == first
    await page.do(f"{CHAT}.new_chat")
    assert page.state["conversation"] == first != page.state["conversation_id"]
    await page.do(f"{PANELS}.show_source", {"address": OTHER, "use": 0})
    assert page.state["conversation"] == page.state["conversation_id"]


async def test_the_list_opens_and_closes(page: PageSocket):
    for event, is_open in (("toggle", True), ("toggle", False), ("toggle", True), ("close", False)):
        await page.do(f"{LIST}.{event}", until=lambda state, is_open=is_open: state["is_open"] is is_open)
    assert f'const OPENED = "{ListState.get_fields()["opened"].default.name}";' in SCRIPT_OF_LIST


async def test_the_tabs_memory_opens_panels_where_the_server_has_no_state(pages: Pages):
    async with pages.booted() as page:
        await page.do(f"{LIST}.toggle")
        await page.do(f"{PANELS}.show_source", {"address": ANSWER, "use": 2})
        remembered = {f"{PANELS}.{name}": page.state[name] for name in ("answer", "conversation", "tab", "marked")}
    async with pages.page() as other:
        await other.boot({**remembered, f"{LIST}.opened": page.state["opened"]})
        assert other.state["sources_address"] == f"{ANSWER}/sources?use=2"
        assert other.state["conversation"] == page.state["conversation_id"]
        assert other.state["is_open"]
