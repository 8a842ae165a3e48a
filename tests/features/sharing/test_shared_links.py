"""Conversations shared by a link: their readers, and their lifetime."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from chat_ui.assembly import build_with
from chat_ui.errors import UnusableSettingsError
from chat_ui.features.sharing.settings import link_readers
from chat_ui.installed import FEATURES
from chat_ui.server.logs import REQUEST_HEADER
from tests.app import free_port
from tests.app_settings import AppSettings
from tests.page.routes.running_app import API, listed, person, put, running_app, talk
from tests.stand_ins.stand_in import Received, Reply, StandIn, in_thread, lines
from tests.timeouts import TIMEOUT

SHARED = "/api/shared/"
NAMED = {"X-Forwarded-User": "ann"}
PROXY = {"trusted_proxies": ("127.0.0.1",), "identity_header": "X-Forwarded-User"}


@pytest.fixture
def reader(whole_url: str) -> Iterator[httpx2.Client]:
    """A person with only the link."""
    with httpx2.Client(base_url=whole_url, timeout=60) as client:
        yield client


def reply(received: Received) -> Reply:
    """An answer with a source. `running` never ends."""
    of_backend = f"http://{received.headers['host']}/content/Buoys.pdf"
    points = [
        {"id": "Buoys.pdf", "text": "Buoys are red.", "url": of_backend},
        {"id": "Ropes.pdf", "text": "Ropes are long.", "url": "https://ropes.example.com/a"},
    ]
    context = {"data_points": points}
    answer = lines({"delta": {"content": "They are red [Buoys.pdf]."}, "context": context})
    return Reply([answer, *([float("inf")] if received.json["messages"][-1]["content"] == "running" else [])])


@pytest.fixture(scope="module")
def backend() -> Iterator[str]:
    with in_thread(StandIn(reply)) as stand_in:
        yield f"{stand_in.url}/chat"


def conversation_of(client: httpx2.Client, title: str = "Buoys", text: str = "Red.") -> str:
    put(client, talk(title, time.time(), text))
    return next(str(one["id"]) for one in listed(client) if one["title"] == title)


def shared(client: httpx2.Client, conversation: str, days: int = 7) -> dict[str, str]:
    response = client.post(SHARED, json={"conversation": conversation, "days": days})
    assert response.status_code == 201, response.text
    return response.json()


def links_of(client: httpx2.Client) -> list[dict[str, str]]:
    return client.get(SHARED).json()["links"]


def test_a_link_gives_a_self_contained_page_and_no_further_rights(
    me: httpx2.Client, reader: httpx2.Client, whole_url: str
):
    conversation = conversation_of(me, "Buoys <b>", "They are **red**.")
    assert me.get(f"{SHARED}{conversation}/contents").json()["questions"]["count"] == 1
    link = shared(me, conversation)
    assert re.fullmatch(r"/s/[A-Za-z0-9_-]{32}", link["path"])
    page = reader.get(link["path"])
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "They are <strong>red</strong>." in page.text
    assert "Buoys &lt;b&gt;" in page.text
    assert conversation not in page.text
    assert link["id"] not in page.text
    for accepted, encoding in (("identity", None), ("gzip", "gzip"), ("gzip;q=0", None)):
        packed = reader.get(link["path"], headers={"Accept-Encoding": accepted})
        assert (packed.text, packed.headers.get("content-encoding")) == (page.text, encoding)
        assert packed.headers["content-type"] == page.headers["content-type"]
    assert "set-cookie" not in page.headers
    assert page.headers["cache-control"] == "private, no-store"
    assert "Accept-Encoding" in page.headers["vary"]
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "noindex" in page.headers["x-robots-tag"]
    policy = page.headers["content-security-policy"]
    for part in ("default-src 'none'", "frame-ancestors 'none'", "form-action 'none'", "sandbox"):
        assert part in policy
    for lax in ("unsafe-inline", "unsafe-eval", "unsafe-hashes", "'self'", "allow-same-origin", "http"):
        assert lax not in policy
    assert reader.get(SHARED).status_code == 403
    assert not reader.cookies
    with person(whole_url) as other:
        assert other.get(link["path"]).status_code == 200
        assert links_of(other) == []
        assert other.get(f"{API}{conversation}/export").status_code == 404
        assert other.get(f"{SHARED}{conversation}/contents").status_code == 404
        assert other.delete(f"{SHARED}{link['id']}").status_code == 404
        assert other.post(SHARED, json={"conversation": conversation, "days": 7}).status_code == 404
        assert other.get(link["path"]).status_code == 200


def test_the_owner_copies_the_same_link_after_a_rename(me: httpx2.Client, reader: httpx2.Client):
    conversation, other = conversation_of(me), conversation_of(me, "Ropes")

    def are_shared(**query: str) -> dict[object, object]:
        return {one["id"]: one["shared"] for one in listed(me, **query)}

    assert are_shared() == {conversation: False, other: False}
    link = shared(me, conversation, days=1)
    assert link["ends_at"] == pytest.approx(time.time() + 86400, abs=TIMEOUT)
    assert links_of(me) == [link]
    assert are_shared() == {conversation: True, other: False}
    assert are_shared(q="buoys") == {conversation: True}
    page = reader.get(link["path"]).text
    assert me.patch(f"{API}{conversation}", json={"title": "Secret plans"}).status_code == 204
    second = shared(me, conversation)
    assert "Secret plans" in reader.get(second["path"]).text
    assert reader.get(link["path"]).text == page
    assert [one["title"] for one in links_of(me)] == ["Secret plans", "Buoys"]
    for one in (link, second):
        assert me.delete(f"{SHARED}{one['id']}").status_code == 204
    assert {*are_shared().values()} == {False}


def test_dead_links_look_the_same_for_any_reason(me: httpx2.Client, reader: httpx2.Client):
    revoked, deleted, gone = (conversation_of(me, title) for title in ("One", "Two", "Three"))
    paths = [shared(me, one)["path"] for one in (revoked, deleted, gone)]
    assert {reader.get(path).status_code for path in paths} == {200}
    ids = {one["title"]: one["id"] for one in links_of(me)}
    assert me.delete(f"{SHARED}{ids['One']}").status_code == 204
    assert me.delete(f"{SHARED}{ids['One']}").status_code == 404
    assert me.delete(f"{API}{deleted}").status_code == 204
    assert reader.get(paths[1]).status_code == 404
    assert me.post(f"{API}{deleted}/restore").status_code == 204
    assert reader.get(paths[1]).status_code == 200
    assert me.delete(API).status_code == 200
    made_up = ("/s/" + "A" * 32, "/s/x", "/s", "/s/", f"{paths[0]}/", "/s/%00%ff", "/s/" + "B" * 3000)
    seen = set()
    for answer in map(reader.get, [*paths, *made_up]):
        same = (pair for pair in answer.headers.items() if pair[0] not in ("date", "server", REQUEST_HEADER))
        seen.add((answer.status_code, answer.text, tuple(same)))
    assert len(seen) == 1
    (status, words, headers) = seen.pop()
    assert status == 404
    assert "Page not found" in words
    assert "set-cookie" not in dict(headers)
    assert "unsafe-inline" not in dict(headers)["content-security-policy"]


def asked(client: httpx2.Client, backend: str, question: str, **query: str) -> str:
    """The id of the conversation with the question."""
    return client.post("/ask", params={"backend": backend, **query}, content=question).text.partition(".")[0]


def test_a_running_answer_and_an_invalid_request_are_not_shared(me: httpx2.Client, backend: str):
    refused = me.post(SHARED, json={"conversation": asked(me, backend, "running", running="1"), "days": 7})
    assert refused.status_code == 409
    assert "still being written" in refused.text
    for body in (b"{", b"[]", b'{"conversation": "x"}', b'{"conversation": 1, "days": 7}'):
        refused = me.post(SHARED, content=body)
        assert (refused.status_code, refused.text) == (400, "Name a conversation and a number of days.")


def test_a_shared_page_hides_its_backend(me: httpx2.Client, reader: httpx2.Client, backend: str):
    conversation = asked(me, backend, "What about buoys?")
    page = reader.get(shared(me, conversation)["path"]).text
    assert "Buoys are red." in page
    assert "Buoys.pdf" in page
    assert 'href="https://ropes.example.com/a' in page
    nowhere = f"http://127.0.0.1:{free_port()}/chat"
    failed = reader.get(shared(me, asked(me, nowhere, "What about ropes?"))["path"]).text
    assert "What about ropes?" in failed
    assert 'class="error"' in failed
    for told in (page, failed):
        for address in (backend, nowhere):
            assert urlsplit(address).netloc not in told
            assert f":{urlsplit(address).port}" not in told
        assert "/api/" not in told


def test_a_link_expires_within_the_operators_limit(tmp_path: Path):
    with running_app(tmp_path, shared_link_days=14, retention_days=10) as url, person(url) as me:
        put(me, talk("Buoys", time.time() - 8 * 86400))
        conversation = str(listed(me)[0]["id"])
        assert me.get(SHARED).json()["days"] == [1, 7, 10]
        assert me.post(SHARED, json={"conversation": conversation, "days": 14}).status_code == 400
        # Two days from now the conversation is removed, and its snapshots with it.
        assert shared(me, conversation)["ends_at"] == pytest.approx(time.time() + 2 * 86400, abs=TIMEOUT)


@pytest.mark.thorough
def test_a_shared_page_counts_for_its_owners_quota(tmp_path: Path):
    noise = " ".join(str(number * 7919 % 100_003) for number in range(40_000))
    with running_app(tmp_path, person_bytes=400_000) as url, person(url) as me:
        conversation = conversation_of(me, text=noise)
        answers = [me.post(SHARED, json={"conversation": conversation, "days": 7}) for _ in range(4)]
        assert [one.status_code for one in answers] == [201, 507, 507, 507]
        assert "Not enough storage" in answers[-1].text
        assert me.delete(f"{SHARED}{answers[0].json()['id']}").status_code == 204
        assert shared(me, conversation)


def test_readers_are_limited_to_the_proxys_people_on_request(tmp_path: Path):
    with (
        running_app(tmp_path, shared_links="signed-in", **PROXY) as url,
        httpx2.Client(base_url=url, headers=NAMED, timeout=60) as ann,
        httpx2.Client(base_url=url, timeout=60) as stranger,
    ):
        link = shared(ann, conversation_of(ann))
        assert ann.get(SHARED).json()["readers"] == "signed-in"
        assert ann.get(link["path"], headers={"X-Forwarded-User": "bob"}).status_code == 200
        refused = stranger.get(link["path"])
        assert (refused.status_code, refused.text) == (404, stranger.get("/s/made-up").text)
        stranger.get("/")
        assert stranger.cookies
        assert stranger.get(link["path"]).status_code == 404


def test_a_restart_keeps_links_and_disabling_ends_them(tmp_path: Path):
    with running_app(tmp_path) as url, person(url) as me:
        link = shared(me, conversation_of(me))
        cookies = me.cookies
    with running_app(tmp_path) as url, httpx2.Client(base_url=url, cookies=cookies) as me:
        assert me.get(link["path"]).status_code == 200
        assert links_of(me) == [link]
    with running_app(tmp_path, shared_links="off") as url, httpx2.Client(base_url=url, cookies=cookies) as me:
        assert me.get(link["path"]).status_code == 404
        assert me.get(SHARED).status_code == 404
        assert [(one["shared"], one["waiting"]) for one in listed(me)] == [(False, False)]


def test_sharing_is_off_by_default(tmp_path: Path):
    readers: list[tuple[str, dict[str, object], str]] = [
        ("127.0.0.1", {}, "anyone"),
        ("0.0.0.0", {}, "off"),
        ("127.0.0.1", PROXY, "off"),
        ("127.0.0.1", {"origins": ("https://chat.example.com",)}, "off"),
        ("127.0.0.1", {"policy": "public"}, "off"),
        ("0.0.0.0", {"shared_links": "anyone"}, "anyone"),
        ("127.0.0.1", {"shared_links": "off"}, "off"),
        ("127.0.0.1", {**PROXY, "shared_links": "signed-in"}, "signed-in"),
    ]
    for host, chosen, who in readers:
        services = build_with(FEATURES, AppSettings(data_dir=tmp_path, **chosen), host, 8000)
        assert link_readers(services.settings, is_local=services.is_local) == who
    # Without a proxy, people are not signed in.
    with pytest.raises(UnusableSettingsError, match=r"CHAT_UI_SHARED_LINKS.*CHAT_UI_TRUSTED_PROXIES"):
        build_with(FEATURES, AppSettings(data_dir=tmp_path, shared_links="signed-in"), "127.0.0.1", 8000)
