"""The list of conversations, exports and imports over HTTP, as a person and as a stranger."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from urllib.parse import unquote

import httpx2

from chat_ui.routes.conversation_list import PAGE
from tests.routes.listing import API, listed, person, put, talk


def test_pages_lead_to_the_oldest(me: httpx2.Client):
    put(me, *(talk(f"Talk {number}", 1000 + number) for number in range(2 * PAGE + 1)))
    seen, query = [], {}
    while True:
        page = me.get(API, params=query).json()
        seen += [entry["title"] for entry in page["conversations"]]
        if page["next"] is None:
            break
        query = {"after": page["next"]}
    assert seen == [f"Talk {number}" for number in reversed(range(2 * PAGE + 1))]


def test_pinned_ones_lead_the_first_page_and_come_on_no_other(me: httpx2.Client):
    put(me, *(talk(f"Talk {number}", 1000 + number) for number in range(PAGE + 2)))
    first = me.get(API).json()
    assert [entry["title"] for entry in first["conversations"]] == [f"Talk {PAGE + 1 - place}" for place in range(PAGE)]
    second = me.get(API, params={"after": first["next"]}).json()
    assert second["next"] is None
    for entry in second["conversations"]:
        me.patch(API + entry["id"], json={"pinned": True})
    led = me.get(API).json()
    assert [entry["title"] for entry in led["conversations"][:3]] == ["Talk 1", "Talk 0", f"Talk {PAGE + 1}"]
    rest = me.get(API, params={"after": led["next"]}).json()
    assert (rest["conversations"], rest["next"]) == ([], None)


def test_what_names_no_place_and_no_words_asks_for_the_first_page(me: httpx2.Client):
    put(me, talk("Buoys", 1), talk("Lights", 2))
    for query in ({"after": "nonsense"}, {"after": "x,y"}, {"after": ""}, {"q": " "}):
        assert [entry["title"] for entry in listed(me, **query)] == ["Lights", "Buoys"]


def test_search_finds_words_of_answers(me: httpx2.Client):
    put(me, talk("Buoys", 1, "They drift northwards."), talk("Lights", 2))
    found = listed(me, q="northw")
    assert [entry["title"] for entry in found] == ["Buoys"]
    assert "northwards" in found[0]["excerpt"]


def test_renaming_pinning_deleting_and_restoring(me: httpx2.Client):
    put(me, talk("Buoys", 1), talk("Lights", 2))
    buoys = listed(me)[1]["id"]
    assert me.patch(API + buoys, json={"title": " Floats "}).status_code == 204
    assert me.patch(API + buoys, json={"pinned": True}).status_code == 204
    assert [(entry["title"], entry["pinned"]) for entry in listed(me)] == [("Floats", True), ("Lights", False)]
    assert me.delete(API + buoys).status_code == 204
    assert [entry["title"] for entry in listed(me)] == ["Lights"]
    assert me.post(f"{API}{buoys}/restore").status_code == 204
    assert [entry["title"] for entry in listed(me)] == ["Floats", "Lights"]


def test_a_change_that_says_nothing_is_refused(me: httpx2.Client):
    put(me, talk("Buoys", 1))
    place = API + listed(me)[0]["id"]
    for body in (b"", b"{}", b"[]", b"nonsense", b'{"title": " "}', b'{"title": 3}', b'{"pinned": 1}', b"[" * 9_000):
        assert me.patch(place, content=body).status_code == 400, body[:20]


def test_a_stranger_finds_nothing_of_it(me: httpx2.Client, whole_url: str):
    put(me, talk("Buoys", 1))
    mine = listed(me)[0]["id"]
    with person(whole_url) as stranger:
        assert listed(stranger) == []
        assert listed(stranger, q="buoys") == []
        assert stranger.patch(API + mine, json={"title": "Ours"}).status_code == 404
        assert stranger.delete(API + mine).status_code == 404
        assert stranger.get(f"{API}{mine}/export").status_code == 404
        assert stranger.get(f"{API}export").json()["conversations"] == []
    me.delete(API + mine)
    with person(whole_url) as stranger:
        assert stranger.post(f"{API}{mine}/restore").status_code == 404


def test_who_has_no_identity_gets_nothing(whole_url: str):
    assert httpx2.get(whole_url + API).status_code == 403
    assert httpx2.post(f"{whole_url}{API}import", content=b"{}").status_code == 403


def test_deleting_everything_leaves_nothing(me: httpx2.Client):
    put(me, talk("Buoys", 1), talk("Lights", 2))
    assert me.delete(API).json() == {"deleted": 2}
    assert listed(me) == []


def test_an_export_of_everything_comes_back_elsewhere(me: httpx2.Client, whole_url: str):
    put(me, talk("Buoys", 1), talk("Lights", 2))
    everything = me.get(f"{API}export")
    assert everything.headers["content-disposition"].startswith("attachment")
    with person(whole_url) as elsewhere:
        assert elsewhere.post(f"{API}import", content=everything.content).json()["imported"] == 2
        assert [entry["title"] for entry in listed(elsewhere)] == ["Lights", "Buoys"]


def test_a_person_takes_one_export_at_a_time_and_others_take_theirs(me: httpx2.Client, whole_url: str):
    for number in range(3):
        put(me, talk("Buoys", number, "Red. " * 1_200_000))
    with ThreadPoolExecutor(1) as beside, person(whole_url) as other:
        with me.stream("GET", f"{API}export"):
            further = beside.submit(me.get, f"{API}export")
            for _ in range(20):
                assert other.get(f"{API}export").status_code == 200
            assert not further.done()
        assert len(further.result().json()["conversations"]) == 3


def test_a_conversation_is_exported_in_each_form(me: httpx2.Client):
    put(me, talk("Buoys &/", 1))
    place = f"{API}{listed(me)[0]['id']}/export"
    for form, kind, words in (
        ("markdown", "text/markdown", "> What about Buoys &/?"),
        ("html", "text/html", "What about Buoys &amp;/?"),
        ("json", "application/json", '"question": "What about Buoys &/?"'),
    ):
        answer = me.get(place, params={"as": form})
        assert answer.headers["content-type"].startswith(kind)
        assert "/" not in answer.headers["content-disposition"].split("''")[1]
        assert words in answer.text


def test_an_exported_file_is_called_by_the_title(me: httpx2.Client):
    names = {
        "All Buoys, 2 (red).": "All Buoys, 2 (red)",
        '.. - "a" / b: *': "a b",
        "Bjørn": "Bjørn",
        "x" * 79 + "yz": "x" * 79 + "y",
        "?!": "Conversation",
    }
    put(me, *(talk(title, moment) for moment, title in enumerate(names)))
    extensions = {"markdown": "md", "html": "html", "json": "json"}
    for form, entry in product(extensions, listed(me)):
        told = me.get(f"{API}{entry['id']}/export", params={"as": form}).headers["content-disposition"]
        assert unquote(told) == f"attachment; filename*=UTF-8''{names[entry['title']]}.{extensions[form]}"


def test_the_server_says_that_it_lives_and_is_ready(whole_url: str):
    assert httpx2.get(f"{whole_url}/health").status_code == 200
    ready = httpx2.get(f"{whole_url}/ready")
    assert (ready.status_code, ready.json()) == (200, {"store": True, "workers": True})
