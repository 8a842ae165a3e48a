"""The branding in a document: its parts of the page, its style, its icons."""

from __future__ import annotations

from collections.abc import Mapping

from chat_ui.features.branding.branding import GROUNDS, Branding
from chat_ui.features.branding.logos import SIZES
from chat_ui.server.addresses import LOGOS
from chat_ui.server.served import Paint


def paint(branding: Branding) -> Paint:
    head = (
        f'<style id="branding-style">{branding.style}</style>'
        f'<link rel="icon" href="{LOGOS}/{branding.icon.name}" type="{branding.icon.media_type}"/>'
        f"{_touch_icon(branding)}{_theme_colours()}"
        # A proxy with a sign-in rejects requests without cookies.
        f'<link rel="manifest" href="{LOGOS}/manifest.webmanifest" crossorigin="use-credentials"/>'
    )
    return Paint(parts=branding.parts(), head=head)


def own_parts(branding: Branding | None) -> Mapping[str, str]:
    """The parts and the `style` of a backend's branding; empty without a branding."""
    return {**branding.parts(), "style": branding.style} if branding else {}


def _touch_icon(branding: Branding) -> str:
    """The home screen icon of an iPhone, which does not support SVG."""
    icons = branding.app_icons()
    icon = icons["maskable", max(SIZES)] if icons else branding.icon
    return f'<link rel="apple-touch-icon" href="{LOGOS}/{icon.name}"/>' if icon.media_type == "image/png" else ""


def _theme_colours() -> str:
    return "".join(
        f'<meta name="theme-color" content="{ground}" media="(prefers-color-scheme: {scheme})"/>'
        for scheme, ground in GROUNDS.items()
    )
