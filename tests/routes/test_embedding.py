"""The script that embeds the chat, as browsers fetch it."""

from __future__ import annotations

import gzip
import json
import re

import httpx2
from starlette.applications import Starlette
from starlette.testclient import TestClient

from chat_ui.branding.branding import branding_of
from chat_ui.routes.public.scripts import EmbeddingRoutes
from chat_ui.settings import Settings

MOST_BYTES = 3 * 1024


def client_of(settings: Settings) -> TestClient:
    return TestClient(Starlette(routes=EmbeddingRoutes(branding_of(settings)).routes()))


def test_it_is_small_also_with_a_long_title_and_says_what_the_operator_chose():
    title = "".join(map(chr, range(0x4E00, 0x9000, 0x11A)))
    with client_of(Settings(title=title, accent="#0b6e4f")).stream("GET", "/embed.js") as answer:
        packed = b"".join(answer.iter_raw())
    assert len(packed) <= MOST_BYTES
    (chat,) = re.findall("^const CHAT = (.*);$", gzip.decompress(packed).decode(), re.MULTILINE)
    said = json.loads(chat)
    assert (said["title"], said["ground"], said["drawn"]) == (title, "#0b6e4f", "#ffffff")
    assert (said["open"], said["close"]) == (f"Open {title}", f"Close {title}")
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"


def test_a_browser_that_has_it_does_not_get_it_again():
    client = client_of(Settings())
    for encoding in ("gzip", "identity"):
        first = client.get("/embed.js", headers={"Accept-Encoding": encoding})
        known = client.get("/embed.js", headers={"Accept-Encoding": encoding, "If-None-Match": first.headers["etag"]})
        assert (known.status_code, known.content) == (304, b"")
        assert first.text.startswith("(() => {")
        assert first.headers["vary"] == "Accept-Encoding, Accept-Language, Cookie"
        assert "max-age=300" in first.headers["cache-control"]


def test_it_is_another_script_in_each_language_and_a_browser_that_has_one_gets_the_other(app_url: str):
    def fetched(language: str, known: str = "") -> httpx2.Response:
        return httpx2.get(f"{app_url}/embed.js", headers={"Accept-Language": language, "If-None-Match": known})

    english, german = fetched("en"), fetched("de")
    assert english.headers["etag"] != german.headers["etag"]
    assert '"open": "Open Chat"' in english.text
    assert '"open": "Chat öffnen"' in german.text
    assert '"refusal": "Der Chat kann auf dieser Seite nicht gezeigt werden."' in german.text
    assert fetched("de", german.headers["etag"]).status_code == 304
    assert fetched("en", german.headers["etag"]).text == english.text
    assert fetched("de-CH", german.headers["etag"]).status_code == 304


def test_pages_of_other_sites_may_load_it_and_nothing_else(app_url: str):
    script = httpx2.get(f"{app_url}/embed.js")
    assert script.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "set-cookie" not in script.headers
    for path in ("/", "/branding/manifest.webmanifest", "/assets/none.js"):
        assert httpx2.get(app_url + path).headers["cross-origin-resource-policy"] == "same-origin"
