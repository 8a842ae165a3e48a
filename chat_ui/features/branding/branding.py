"""The operator's branding, and its parts on the page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from chat_ui.errors import UnusableSettingsError
from chat_ui.features.branding.accents import BUILT, on_icon, style_of_accent, style_of_accent_by_scheme
from chat_ui.features.branding.logos import SIZES, Image, drawn_icon, read_image
from chat_ui.features.branding.settings import BrandingSettings
from chat_ui.languages.translation import gettext, translated
from chat_ui.protocol.translatable import msg
from chat_ui.server.addresses import LOGOS
from chat_ui.server.brand import Brand
from chat_ui.settings import setting_name

GREETING: Final = msg("What would you like to know?")
INTRODUCTION: Final = msg("Answers come with their sources. Each number in the text opens the passage behind it.")
GROUNDS: Final = {"light": "#ffffff", "dark": "#17181b"}
"""The page's background in each theme, like `rendering/tokens.css`."""
_ROUND: Final = {"none": 0, "small": 0.5, "medium": 0.75, "large": 1, "full": 2}
_BUILT_RADIUS_FACTOR: Final = 1.5
"""Radix's factor for the radius `large` of the built page."""
_ICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="{round}" '
    'fill="{ground}"/><path fill="{drawn}" '
    'd="M8 9h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-8l-5 4v-4H8a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2z"/></svg>'
)
_LINKS: Final = ("http", "https", "mailto")


@dataclass(frozen=True, slots=True)
class Branding:
    """A validated branding: texts, logo, and stylesheet."""

    title: str
    logo: Image | None
    style: str
    greeting: str
    introduction: str
    notice: str
    footer: str
    help_url: str
    privacy_url: str
    accent: str

    @property
    def icon(self) -> Image:
        if self.logo:
            return self.logo
        return Image(drawing(*on_icon(self.accent)).encode(), "image/svg+xml", "svg")

    def app_icons(self) -> dict[tuple[str, int], Image]:
        """The drawing as PNG images, by purpose and size in pixels; empty with a logo."""
        if self.logo:
            return {}
        return {
            (purpose, size): drawn_icon(purpose, size, *on_icon(self.accent))
            for purpose in ("any", "maskable")
            for size in SIZES
        }

    def brand(self) -> Brand:
        return Brand(self.title, style_of_accent_by_scheme(self.accent), *on_icon(self.accent))

    def parts(self) -> dict[str, str]:
        """The HTML of the branding's parts of the page."""
        logo = f'<img class="logo" alt="" src="{LOGOS}/{self.logo.name}">' if self.logo else ""
        links = [
            _link(words, url)
            for words, url in ((gettext("Help"), self.help_url), (gettext("Privacy"), self.privacy_url))
            if url
        ]
        below = [*([escape(self.footer)] if self.footer else []), *links]
        return {
            "brand": f'{logo}<h1 dir="auto">{escape(self.title)}</h1>',
            "notice": f'<p role="note" class="notice">{escape(self.notice)}</p>' if self.notice else "",
            "greeting": f'<img class="greeting-logo" alt="" src="{LOGOS}/{self.icon.name}">'
            f"<h2>{escape(translated(self.greeting))}</h2><p>{escape(translated(self.introduction))}</p>",
            "footer": f'<p class="footer">{" · ".join(below)}</p>' if below else "",
        }

    def with_own(self, backend: str, *, logo: Path | None, accent: str, greeting: str, introduction: str) -> Branding:
        """This branding with the own values of a backend; empty ones are inherited.

        Raises:
            UnusableSettingsError: the logo or the accent cannot be used.
        """
        return replace(
            self,
            logo=_image(logo, f"The logo of {backend}") if logo else self.logo,
            style=self.style + _accent(accent, f"The accent of {backend}") if accent else self.style,
            accent=accent or self.accent,
            greeting=greeting or self.greeting,
            introduction=introduction or (INTRODUCTION if greeting else self.introduction),
        )


def drawing(ground: str, drawn: str, *, is_maskable: bool = False) -> str:
    """The icon as SVG; with `is_maskable` its background has square corners for the system's mask."""
    return _ICON.format(ground=ground, drawn=drawn, round=0 if is_maskable else 8)


def branding_of(described: BrandingSettings) -> Branding:
    """The branding of the settings.

    Raises:
        UnusableSettingsError: a part of it cannot be used.
    """
    return Branding(
        title=described.title,
        logo=_image(described.logo, setting_name("logo")) if described.logo else None,
        style=(_accent(described.accent, setting_name("accent")) if described.accent != BUILT else "")
        + _shape(described),
        greeting=described.greeting or GREETING,
        introduction=described.introduction or ("" if described.greeting else INTRODUCTION),
        notice=described.notice,
        footer=described.footer,
        help_url=_checked_link("help_url", described.help_url),
        privacy_url=_checked_link("privacy_url", described.privacy_url),
        accent=described.accent,
    )


def _shape(described: BrandingSettings) -> str:
    round_ = _ROUND[described.radius]
    fonts = f"--default-font-family:{_font(described.font)}, var(--page-fonts)" if described.font else ""
    return f":root{{--round:{round_}}}.radix-themes{{--radius-factor:{round_ * _BUILT_RADIUS_FACTOR};{fonts}}}"


def _font(names: str) -> str:
    """The quoted families of a CSS rule, or UnusableSettingsError for an invalid character."""
    families = [name.strip().strip("\"'") for name in names.split(",")]
    if not all(family and all(letter.isalnum() or letter in " -_" for letter in family) for family in families):
        raise UnusableSettingsError(f"{setting_name('font')}: must be font names, such as Source Sans 3, Arial")
    return ", ".join(f'"{family}"' for family in families)


def _accent(accent: str, place: str) -> str:
    try:
        return style_of_accent(accent)
    except (ValueError, ArithmeticError):
        raise UnusableSettingsError(
            f"{place}: {accent!r} is not a colour, such as #0b6e4f, rgb(11 110 79), oklch(48% 0.11 164) or teal"
        ) from None


def _image(path: Path, place: str) -> Image:
    try:
        return read_image(path)
    except ValueError as problem:
        raise UnusableSettingsError(f"{place}: {problem}") from None


def _checked_link(name: str, url: str) -> str:
    try:
        known = not url or urlsplit(url).scheme in _LINKS
    except ValueError:
        known = False
    if not known:
        raise UnusableSettingsError(f"{setting_name(name)}: must be a URL, such as https://example.com/help")
    return url


def _link(words: str, url: str) -> str:
    return f'<a href="{escape(url)}" target="_blank" rel="noopener">{escape(words)}</a>'
