"""What a browser keeps for when there is no network: the worker, its page, and copies of conversations."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import httpx
import pytest

from chat_ui.routes.offline.kept_copies import MOST_BYTES, MOST_DAYS
from chat_ui.routes.offline.owner_tags import OWNER_HEADER, OwnerTags
from chat_ui.settings import Settings, keeps_offline
from tests.routes.listing import API, listed, person, put, talk
from tests.routes.whole import whole

DAY = 24 * 3600


@pytest.fixture
def me(whole_url: str) -> Iterator[httpx.Client]:
    with person(whole_url) as client:
        yield client


def days_kept(copy: httpx.Response) -> float:
    return (int(copy.headers["x-keep-until"]) / 1000 - time.time()) / DAY


def test_a_copy_has_the_answers_and_names_its_owner_and_its_title(me: httpx.Client):
    put(me, talk("Buoys <i>", 1000, "They drift <script>northwards</script>."))
    mine = listed(me)[0]["id"]
    copy = me.get(f"{API}{mine}/copy")
    assert "They drift" in copy.text
    assert copy.text.count("<script>") == 1
    assert unquote(copy.headers["x-title"]) == "Buoys <i>"
    assert copy.headers[OWNER_HEADER] == me.get("/owned/").headers[OWNER_HEADER]
    policy = copy.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "frame-ancestors 'none'" in policy
    assert days_kept(copy) == pytest.approx(MOST_DAYS, abs=0.01)


def test_a_copy_is_sent_again_only_when_the_conversation_is_another(me: httpx.Client):
    put(me, talk("Buoys", 1000))
    mine = listed(me)[0]["id"]
    known = {"If-None-Match": me.get(f"{API}{mine}/copy").headers["etag"]}
    again = me.get(f"{API}{mine}/copy", headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers[OWNER_HEADER]
    me.patch(API + mine, json={"title": "Floats"})
    assert "Floats" in me.get(f"{API}{mine}/copy", headers=known).text


def test_a_long_conversation_is_not_copied(me: httpx.Client):
    put(me, talk("Buoys", 1000, "Red. " * (MOST_BYTES // 5)))
    refused = me.get(f"{API}{listed(me)[0]['id']}/copy")
    assert (refused.status_code, OWNER_HEADER in refused.headers) == (413, False)


def test_nobody_else_gets_a_copy_or_hears_that_there_is_one(me: httpx.Client, whole_url: str):
    put(me, talk("Buoys", 1000))
    mine = listed(me)[0]["id"]
    asked = {"id": [mine, "another"]}
    assert me.get(f"{API}kept", params=asked).json() == {
        "tag": me.get("/owned/").headers[OWNER_HEADER],
        "there": [mine],
    }
    with person(whole_url) as stranger:
        assert stranger.get(f"{API}{mine}/copy").status_code == 404
        assert stranger.get(f"{API}kept", params=asked).json()["there"] == []
    assert httpx.get(f"{whole_url}{API}{mine}/copy").status_code == 403
    assert httpx.get(f"{whole_url}{API}kept").status_code == 403
    me.delete(API + mine)
    assert me.get(f"{API}{mine}/copy").status_code == 404
    assert me.get(f"{API}kept", params=asked).json()["there"] == []


def test_a_copy_is_kept_no_longer_than_the_conversation(tmp_path: Path):
    with whole(tmp_path, retention_days=7) as url, person(url) as me:
        put(me, talk("Buoys", time.time() - 5 * DAY))
        assert days_kept(me.get(f"{API}{listed(me)[0]['id']}/copy")) == pytest.approx(2, abs=0.01)


def test_the_worker_brings_a_page_of_its_own_version_and_is_asked_for_each_time(whole_url: str):
    worker = httpx.get(f"{whole_url}/service-worker.js")
    view = httpx.get(f"{whole_url}/offline")
    assert worker.headers["content-type"].startswith("text/javascript")
    assert "service-worker-allowed" not in worker.headers
    assert f'const VERSION = "{view.headers["x-version"]}";' in worker.text
    assert worker.headers["cache-control"] == "no-cache"
    assert re.search(r"<title>Offline – Chat</title>", view.text)
    assert not re.search(r'(?:src|href)="(?!data:)', view.text)


def test_a_server_that_keeps_nothing_in_browsers_takes_back_a_former_worker(tmp_path: Path):
    with whole(tmp_path, offline=False) as url:
        assert "unregister" in httpx.get(f"{url}/service-worker.js").text
        assert httpx.get(f"{url}/offline").status_code == 404


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, True),
        ({"offline": False}, False),
        ({"retention_days": 0}, False),
        ({"retention_days": 0, "offline": True}, False),
        ({"identity_header": "X-User"}, False),
        ({"identity_header": "X-User", "offline": True}, True),
    ],
)
def test_browsers_keep_conversations_unless_that_could_show_them_to_somebody_else(
    chosen: dict[str, object], expected: bool
):
    assert keeps_offline(Settings(**chosen)) is expected


def test_a_tag_is_of_one_person_and_one_secret_and_leads_to_neither():
    tags = OwnerTags("a secret")
    assert tags.tag("") == ""
    made = {tags.tag("ann"), tags.tag("bob"), OwnerTags("another").tag("ann")}
    assert len(made) == 3
    assert all(re.fullmatch(r"[\w-]{22}", tag) for tag in made)
    assert tags.tag("ann") == OwnerTags("a secret").tag("ann")


def test_a_page_of_a_browser_that_is_new_names_no_owner(whole_url: str):
    assert OWNER_HEADER not in httpx.get(f"{whole_url}/owned/").headers
