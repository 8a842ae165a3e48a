import pytest

from chat_ui.backends.personal_choices import own_id_of, read_choices
from chat_ui.protocol.transport.guard import origin_of
from tests.page.state.pages import REMOVAL, Pages, focused
from tests.page_socket import BACKEND, DIALOG, PageSocket

pytestmark = pytest.mark.asyncio(loop_scope="module")
KEY = "sk-of-this-test-alone"
PLACES = ("https://one.example/chat", "https://two.example/chat", "https://three.example/chat")


async def add(page: PageSocket, url: str, key: str = "") -> None:
    await page.send(f"{DIALOG}.add_backend")
    await page.send(f"{DIALOG}.set_url", {"url": url})
    await page.send(f"{DIALOG}.set_text", {"field": "name", "text": url[8:-13]})
    await page.send(f"{DIALOG}.set_more", {"more": '{"index": "a"}'})
    await page.do(f"{DIALOG}.save", {"form": {"backend-key": key}})
    assert page.state["label"] == url[8:-13]


async def remove(page: PageSocket, backend_id: str = "") -> None:
    """Remove the backend with that id, or the one in use."""
    await page.send(f"{REMOVAL}.remove", {"backend_id": backend_id or page.state["selected"]})


def own(page: PageSocket) -> list[str]:
    return [one.url for one in read_choices(page.state["saved"]).own]


async def test_a_removed_backend_comes_back_with_its_place_options_and_key(pages: Pages, page: PageSocket):
    for url in PLACES:
        await add(page, url, KEY if url == PLACES[1] else "")
    await page.do(f"{BACKEND}.select", {"backend_id": read_choices(page.state["saved"]).own[1].id})
    before = read_choices(page.state["saved"])
    vault, origin, own_id = pages.services.backends.vault, origin_of(PLACES[1]), own_id_of(before.selected)
    await vault.trust(pages.me, origin, "ab" * 32)
    await page.do(f"{DIALOG}.open_dialog")
    assert page.state["key_is_set"]
    await remove(page)
    state = await page.until(lambda state: state["removed"])
    assert (state["removed"], own(page), state["label"]) == ("two", [PLACES[0], PLACES[2]], "Here")
    assert await vault.find(pages.me, origin, own_id) is None
    assert not await vault.trusted(pages.me, origin)
    state = await page.do(f"{REMOVAL}.undo", until=lambda state: state["removed"] == "")
    await page.hear()
    assert read_choices(page.state["saved"]) == before
    assert (await vault.find(pages.me, origin, own_id)).headers() == {"Authorization": f"Bearer {KEY}"}
    assert await vault.find(pages.me, origin) is None, "no other backend there gets its key"
    assert await vault.trusted(pages.me, origin) == "ab" * 32
    assert (page.state["removal_problem"], page.state["label"]) == ("", "two")
    assert KEY not in "".join(page.told)


async def test_edit_and_remove_act_on_the_backend_that_the_page_named(page: PageSocket):
    for url in PLACES:
        await add(page, url)
    kept = read_choices(page.state["saved"])
    first, third = kept.own[0].id, kept.own[2].id
    for named, edited in ((first, first), ("own:none", first), ("", third)):
        await page.send(f"{DIALOG}.set_open", {"is_open": False})
        await page.do(f"{DIALOG}.open_dialog", {"backend_id": named})
        assert (page.state["editing"], page.state["is_open"]) == (edited, named != "own:none")
    for named in ("own:none", "given:Here", first):
        await remove(page, named)
    await page.until(lambda state: state["removed"] == "one")
    assert own(page) == [*PLACES[1:]]
    assert page.state["selected"] == third


async def test_undo_without_a_removal_changes_nothing(page: PageSocket):
    await page.send(f"{DIALOG}.open_dialog")
    await remove(page)
    await page.do(f"{REMOVAL}.undo")
    assert page.state["removed"] == ""
    assert page.state["saved"] == ""
    assert focused(page)[-1] == "ref_backend_settings"


async def test_a_removed_backend_is_forgotten_after_its_time(pages: Pages, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("chat_ui.backends.state.removal.UNDO_SECONDS", 0)
    async with pages.booted() as page:
        await add(page, PLACES[0])
        await page.send(f"{DIALOG}.open_dialog")
        await remove(page)
        await page.until(lambda state: state["saved"] and not own(page) and state["removed"] == "")
        await page.hear()
        await page.do(f"{REMOVAL}.undo")
        assert own(page) == []
