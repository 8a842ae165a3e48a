import gzip
import json
import re
import struct
import zlib
from dataclasses import replace

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from chat_ui.features.branding.brand_files import BrandingRoutes
from chat_ui.features.branding.branding import branding_of
from chat_ui.features.branding.logos import Image
from chat_ui.features.branding.settings import BrandingSettings
from chat_ui.features.embedding.routes import EmbeddingRoutes

OWN = Image(b"\x89PNG\r\n\x1a\n", "image/png", "png")


@pytest.fixture
def client() -> TestClient:
    branding = branding_of(BrandingSettings(title="Ask"))
    routes = BrandingRoutes(branding, [replace(branding, logo=OWN)]).routes()
    return TestClient(Starlette(routes=routes))


def test_the_manifest_has_name_and_icon_and_images_are_cached_for_good(client: TestClient):
    manifest = client.get("/branding/manifest.webmanifest")
    assert manifest.headers["content-type"] == "application/manifest+json"
    assert (manifest.json()["name"], manifest.json()["start_url"]) == ("Ask", "/")
    icon = client.get(manifest.json()["icons"][0]["src"])
    assert icon.headers["content-type"].startswith("image/svg+xml")
    logo = client.get(f"/branding/{OWN.name}")
    assert (logo.content, logo.headers["content-type"]) == (OWN.content, "image/png")
    assert "immutable" in logo.headers["cache-control"]
    # The operator's logo is the icon.
    routes = BrandingRoutes(replace(branding_of(BrandingSettings()), logo=OWN)).routes()
    (icon,) = TestClient(Starlette(routes=routes)).get("/branding/manifest.webmanifest").json()["icons"]
    assert icon == {"src": f"/branding/{OWN.name}", "type": "image/png", "sizes": "any", "purpose": "any"}


INSTALLED = {
    "en-GB": ("en", "ltr", "Ask a question and see where the answer comes from.", "New chat"),
    "de-AT": ("de", "ltr", "Stellen Sie eine Frage und sehen Sie, woher die Antwort kommt.", "Neuer Chat"),
    "ar": ("ar", "rtl", "اطرح سؤالًا وانظر من أين تأتي الإجابة.", "محادثة جديدة"),
    "sv": ("en", "ltr", "Ask a question and see where the answer comes from.", "New chat"),
}


def test_the_manifest_is_in_the_readers_language(app_url: str):
    for language, installed in INSTALLED.items():
        answer = httpx2.get(f"{app_url}/branding/manifest.webmanifest", headers={"Accept-Language": language})
        manifest = answer.json()
        (shortcut,) = manifest["shortcuts"]
        assert (manifest["lang"], manifest["dir"], manifest["description"], shortcut["name"]) == installed
        assert (manifest["name"], shortcut["url"]) == ("Chat", "/")
        assert answer.headers["vary"].startswith("Accept-Language, Cookie")


def test_the_icon_is_also_a_png_in_the_accent_colour():
    branding = branding_of(BrandingSettings(accent="#0b6e4f"))
    client = TestClient(Starlette(routes=BrandingRoutes(branding).routes()))
    icons = client.get("/branding/manifest.webmanifest").json()["icons"]
    sizes = ("192x192", "512x512")
    drawn = [(purpose, size) for purpose in ("any", "maskable") for size in sizes]
    assert [(icon["purpose"], icon["sizes"]) for icon in icons] == [("any", "any"), *drawn]
    for icon in icons[1:]:
        image = client.get(icon["src"]).content
        begins = image.index(b"PLTE") + 4
        width, _ = struct.unpack_from(">II", image, image.index(b"IHDR") + 4)
        assert icon["sizes"].startswith(str(width))
        assert image[begins : begins + 3].hex() == "0b6e4f"
        assert zlib.crc32(image[begins - 4 : begins + 768]) == struct.unpack_from(">I", image, begins + 768)[0]


def test_the_icon_is_at_the_default_address_and_other_files_are_missing(client: TestClient):
    for path in ("/favicon.ico", "/favicon.svg"):
        icon = client.get(path)
        assert (icon.headers["content-type"].partition(";")[0], b"#3e63dd" in icon.content) == ("image/svg+xml", True)
    for name in ("nothing.svg", "..%2fsettings.py", ""):
        assert client.get(f"/branding/{name}").status_code == 404


MOST_BYTES = 3 * 1024


def client_of(settings: BrandingSettings) -> TestClient:
    return TestClient(Starlette(routes=EmbeddingRoutes(branding_of(settings).brand()).routes()))


def test_the_embed_script_is_small_and_has_the_operators_choices():
    title = "".join(map(chr, range(0x4E00, 0x9000, 0x11A)))
    with client_of(BrandingSettings(title=title, accent="#0b6e4f")).stream("GET", "/embed.js") as answer:
        packed = b"".join(answer.iter_raw())
    assert len(packed) <= MOST_BYTES
    (chat,) = re.findall("^const CHAT = (.*);$", gzip.decompress(packed).decode(), re.MULTILINE)
    said = json.loads(chat)
    assert (said["title"], said["ground"], said["drawn"]) == (title, "#0b6e4f", "#ffffff")
    assert (said["open"], said["close"]) == (f"Open {title}", f"Close {title}")
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"


def test_a_cached_embed_script_is_not_sent_again():
    client = client_of(BrandingSettings())
    for encoding in ("gzip", "identity"):
        first = client.get("/embed.js", headers={"Accept-Encoding": encoding})
        known = client.get("/embed.js", headers={"Accept-Encoding": encoding, "If-None-Match": first.headers["etag"]})
        assert (known.status_code, known.content) == (304, b"")
        assert first.text.startswith("(() => {")
        assert first.headers["vary"] == "Accept-Encoding, Accept-Language, Cookie"
        assert "max-age=300" in first.headers["cache-control"]


def test_the_embed_script_is_in_the_readers_language_and_loads_anywhere(app_url: str):
    def fetched(language: str, known: str = "") -> httpx2.Response:
        return httpx2.get(f"{app_url}/embed.js", headers={"Accept-Language": language, "If-None-Match": known})

    english, german = fetched("en"), fetched("de")
    assert english.headers["etag"] != german.headers["etag"]
    assert '"open": "Open Chat"' in english.text
    assert '"open": "Chat öffnen"' in german.text
    assert '"refusal": "Der Chat kann auf dieser Seite nicht angezeigt werden."' in german.text
    assert fetched("de", german.headers["etag"]).status_code == 304
    assert fetched("en", german.headers["etag"]).text == english.text
    assert fetched("de-CH", german.headers["etag"]).status_code == 304
    script = httpx2.get(f"{app_url}/embed.js")
    assert script.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "set-cookie" not in script.headers
    for path in ("/", "/branding/manifest.webmanifest", "/assets/none.js"):
        assert httpx2.get(app_url + path).headers["cross-origin-resource-policy"] == "same-origin"
