"""The operator's branding, checked at the start, and its display on a page."""

import os
from pathlib import Path

import pytest

from chat_ui.errors import UnusableSettingsError
from chat_ui.features.branding.branding import GREETING, INTRODUCTION, Branding, branding_of
from chat_ui.features.branding.logos import MOST_BYTES, read_image
from chat_ui.features.branding.settings import BrandingSettings
from chat_ui.languages.catalogues import offered
from chat_ui.languages.translation import speaking

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
HOSTILE = '<img src=x onerror="alert(1)">&'
H1 = '<h1 dir="auto">{}</h1>'
ESCAPED = "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;"


def image(folder: Path, content: bytes, name: str = "logo.svg") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def logo_of(branding: Branding) -> str:
    return f'<img class="greeting-logo" alt="" src="/branding/{branding.icon.name}">'


def test_the_default_branding_has_name_greeting_and_icon():
    branding = branding_of(BrandingSettings())
    assert branding.parts() == {
        "brand": H1.format("Chat"),
        "notice": "",
        "greeting": f"{logo_of(branding)}<h2>{GREETING}</h2><p>{INTRODUCTION}</p>",
        "footer": "",
    }
    assert branding.icon.media_type == "image/svg+xml"
    assert b"#3e63dd" in branding.icon.content


def test_defaults_are_in_each_readers_language():
    branding = branding_of(BrandingSettings(help_url="https://x.test/help", privacy_url="https://x.test/privacy"))
    with speaking(offered()["de"]):
        parts = branding.parts()
    assert "<h2>Was möchten Sie wissen?</h2><p>Antworten kommen mit ihren Quellen. Jede Nummer" in parts["greeting"]
    assert ">Hilfe</a> · <a " in parts["footer"]
    assert parts["footer"].endswith(">Datenschutz</a></p>")
    assert f"<h2>{GREETING}</h2><p>{INTRODUCTION}</p>" in branding.parts()["greeting"]


def test_the_operators_texts_are_the_same_in_every_language():
    own = branding_of(
        BrandingSettings(title="Help", greeting="Help", introduction="Privacy", notice="Help", footer="Privacy")
    )
    english = own.parts()
    with speaking(offered()["de"]):
        assert own.parts() == english
        backend = own.with_own("Plans", logo=None, accent="", greeting="Ahoy", introduction="")
        assert "<h2>Ahoy</h2><p>Antworten kommen mit" in backend.parts()["greeting"]


def test_every_text_is_escaped():
    words = dict.fromkeys(("title", "notice", "greeting", "introduction", "footer"), HOSTILE)
    branding = branding_of(BrandingSettings(**words))
    parts = branding.parts()
    assert parts["brand"] == H1.format(ESCAPED)
    assert parts["notice"] == f'<p role="note" class="notice">{ESCAPED}</p>'
    assert parts["greeting"] == f"{logo_of(branding)}<h2>{ESCAPED}</h2><p>{ESCAPED}</p>"
    assert parts["footer"] == f'<p class="footer">{ESCAPED}</p>'


def test_links_follow_the_footer_and_an_own_greeting_has_no_default_line():
    branding = branding_of(
        BrandingSettings(footer="Can be wrong.", help_url="https://x.test/?a&b", privacy_url="mailto:a@x.test")
    )
    assert branding.parts()["footer"] == (
        '<p class="footer">Can be wrong. · <a href="https://x.test/?a&amp;b" target="_blank" rel="noopener">Help</a> · '
        '<a href="mailto:a@x.test" target="_blank" rel="noopener">Privacy</a></p>'
    )
    branding = branding_of(BrandingSettings(greeting="Ahoy"))
    assert branding.parts()["greeting"] == f"{logo_of(branding)}<h2>Ahoy</h2><p></p>"


def test_a_logo_is_recognised_by_its_bytes_and_is_the_icon(tmp_path: Path):
    media_types = {
        SVG: "image/svg+xml", b'<?xml version="1.0"?>' + SVG: "image/svg+xml", PNG: "image/png",
        b"\xff\xd8\xff\xe0": "image/jpeg", b"RIFF\0\0\0\0WEBPVP8 ": "image/webp",
    }  # fmt: skip
    for content, media_type in media_types.items():
        branding = branding_of(BrandingSettings(logo=image(tmp_path, content, "logo.bin")))
        assert branding.logo is not None, media_type
        assert (branding.logo.media_type, branding.logo.content, branding.icon) == (media_type, content, branding.logo)
        logo = f'<img class="logo" alt="" src="/branding/{branding.logo.name}">'
        assert branding.parts()["brand"] == logo + H1.format("Chat")


def test_an_invalid_logo_is_refused_with_its_path(tmp_path: Path):
    for content, words in (
        (b"", "not an SVG, PNG, JPEG or WebP"),
        (b"<html/>", "not an SVG"),
        (b"RIFF\0\0\0\0WAVE", "not an SVG"),
        (SVG + b"<", "not an SVG"),
        (b'<?xml version="1.0" encoding="nothing"?>' + SVG, "not an SVG"),
        (b'<?xml version="1.0" encoding="utf-7"?>' + SVG, "not an SVG"),
        (PNG + b"\0" * MOST_BYTES, "larger than 512 KB"),
    ):
        path = image(tmp_path, content)
        with pytest.raises(UnusableSettingsError, match=f"CHAT_UI_LOGO: {path} .*{words}"):
            branding_of(BrandingSettings(logo=path))


def test_an_unreadable_logo_is_refused(tmp_path: Path):
    with pytest.raises(UnusableSettingsError, match=r"nothing\.svg cannot be read: No such file"):
        branding_of(BrandingSettings(logo=tmp_path / "nothing.svg"))
    os.mkfifo(tmp_path / "logo.svg")
    with pytest.raises(UnusableSettingsError, match=r"logo\.svg cannot be read: it is not a regular file"):
        branding_of(BrandingSettings(logo=tmp_path / "logo.svg"))


def test_two_images_have_two_names(tmp_path: Path):
    first, second, again = (read_image(image(tmp_path, content)).name for content in (SVG, PNG, SVG))
    assert first == again != second


def test_an_invalid_value_is_refused_by_its_setting():
    cases = [
        ({"accent": "nothing"}, "CHAT_UI_ACCENT: 'nothing' is not a colour"),
        ({"accent": "lab(50% 1e308 0)"}, "is not a colour"),
        ({"font": "Arial; } body { color: red"}, "CHAT_UI_FONT: must be font names"),
        ({"font": "Arial,,Verdana"}, "CHAT_UI_FONT"),
        ({"help_url": "javascript:alert(1)"}, "CHAT_UI_HELP_URL: must be a URL"),
        ({"privacy_url": "/privacy"}, "CHAT_UI_PRIVACY_URL: must be a URL"),
        ({"help_url": "http://[x"}, "CHAT_UI_HELP_URL"),
    ]
    for settings, words in cases:
        with pytest.raises(UnusableSettingsError, match=words):
            branding_of(BrandingSettings(**settings))


def test_the_shape_is_in_the_stylesheet():
    style = branding_of(BrandingSettings(font="Source Sans 3, 'Noto Sans'", radius="none")).style
    assert '--default-font-family:"Source Sans 3", "Noto Sans", var(--page-fonts)' in style
    assert (":root{--round:0}" in style, "--radius-factor:0.0;" in style) == (True, True)


def test_a_backend_has_its_own_branding_and_the_rest_of_the_page(tmp_path: Path):
    page = branding_of(BrandingSettings(title="Ask", greeting="Ahoy", notice="Careful."))
    own = page.with_own("Notes", logo=image(tmp_path, PNG), accent="#0b6e4f", greeting="Hello", introduction="")
    assert own.parts()["greeting"] == f"{logo_of(own)}<h2>Hello</h2><p>{INTRODUCTION}</p>"
    assert own.parts()["notice"] == page.parts()["notice"]
    assert H1.format("Ask") in own.parts()["brand"]
    assert "#0b6e4f" in own.style
    assert page.with_own("Notes", logo=None, accent="", greeting="", introduction="") == page
