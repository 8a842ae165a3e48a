"""Logos, the icon and the manifest, as browsers fetch them."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from chat_ui.branding.branding import branding_of
from chat_ui.branding.logos import Image
from chat_ui.routes.public.brand_files import BrandingRoutes
from chat_ui.settings import Settings

OWN = Image(b"\x89PNG\r\n\x1a\n", "image/png", "png")


@pytest.fixture
def client() -> TestClient:
    branding = branding_of(Settings(title="Ask"))
    routes = BrandingRoutes(branding, [replace(branding, logo=OWN)]).routes()
    return TestClient(Starlette(routes=routes))


def test_each_image_is_kept_by_browsers_for_good(client: TestClient):
    logo = client.get(f"/branding/{OWN.name}")
    assert (logo.content, logo.headers["content-type"]) == (OWN.content, "image/png")
    assert "immutable" in logo.headers["cache-control"]


def test_the_manifest_has_the_name_and_the_icon(client: TestClient):
    manifest = client.get("/branding/manifest.webmanifest")
    assert manifest.headers["content-type"] == "application/manifest+json"
    assert manifest.json()["name"] == "Ask"
    icon = client.get(manifest.json()["icons"][0]["src"])
    assert icon.headers["content-type"].startswith("image/svg+xml")


INSTALLED = {
    "en-GB": ("en", "ltr", "Ask a question and see where the answer comes from.", "New chat"),
    "de-AT": ("de", "ltr", "Stellen Sie eine Frage und sehen Sie, woher die Antwort kommt.", "Neuer Chat"),
    "ar": ("ar", "rtl", "اطرح سؤالًا وانظر من أين تأتي الإجابة.", "محادثة جديدة"),
    "nl": ("en", "ltr", "Ask a question and see where the answer comes from.", "New chat"),
}


def test_the_manifest_is_in_the_language_of_whoever_installs_the_page(app_url: str):
    for language, installed in INSTALLED.items():
        answer = httpx2.get(f"{app_url}/branding/manifest.webmanifest", headers={"Accept-Language": language})
        manifest = answer.json()
        (shortcut,) = manifest["shortcuts"]
        assert (manifest["lang"], manifest["dir"], manifest["description"], shortcut["name"]) == installed
        assert (manifest["name"], shortcut["url"]) == ("Chat", "/")
        assert answer.headers["vary"].startswith("Accept-Language, Cookie")


def test_the_drawing_is_there_as_png_in_the_accent_for_what_draws_no_svg():
    branding = branding_of(Settings(accent="#0b6e4f"))
    client = TestClient(Starlette(routes=BrandingRoutes(branding).routes()))
    icons = client.get("/branding/manifest.webmanifest").json()["icons"]
    assert [(icon["purpose"], icon["sizes"]) for icon in icons] == [
        ("any", "any"),
        ("any", "192x192"),
        ("any", "512x512"),
        ("maskable", "192x192"),
        ("maskable", "512x512"),
    ]
    for icon in icons[1:]:
        image = client.get(icon["src"]).content
        begins = image.index(b"PLTE") + 4
        width, _ = struct.unpack_from(">II", image, image.index(b"IHDR") + 4)
        assert icon["sizes"].startswith(str(width))
        assert image[begins : begins + 3].hex() == "0b6e4f"
        assert zlib.crc32(image[begins - 4 : begins + 768]) == struct.unpack_from(">I", image, begins + 768)[0]


def test_the_icon_of_an_operator_with_a_logo_is_the_logo_alone():
    branding = replace(branding_of(Settings()), logo=OWN)
    client = TestClient(Starlette(routes=BrandingRoutes(branding).routes()))
    (icon,) = client.get("/branding/manifest.webmanifest").json()["icons"]
    assert icon == {"src": f"/branding/{OWN.name}", "type": "image/png", "sizes": "any", "purpose": "any"}


def test_the_icon_is_where_browsers_look_for_it_and_there_is_nothing_else(client: TestClient):
    for path in ("/favicon.ico", "/favicon.svg"):
        icon = client.get(path)
        assert (icon.headers["content-type"].partition(";")[0], b"#3e63dd" in icon.content) == ("image/svg+xml", True)
    for name in ("nothing.svg", "..%2fsettings.py", ""):
        assert client.get(f"/branding/{name}").status_code == 404
