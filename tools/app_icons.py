"""Draws the icons of the installed app: `python -m tools.app_icons` writes `chat_ui/features/branding/icons/`."""

from __future__ import annotations

import base64
import struct
import zlib

from playwright.sync_api import Page, sync_playwright

from chat_ui.features.branding.accents import BUILT, on_icon
from chat_ui.features.branding.branding import drawing
from chat_ui.features.branding.logos import FILES, SHADES, SIGNATURE, SIZES, chunk, palette
from tests.chromium import launch

PIXELS = """async ([svg, size]) => {
    const image = new Image();
    image.src = "data:image/svg+xml," + encodeURIComponent(svg);
    await image.decode();
    const drawing = new OffscreenCanvas(size, size).getContext("2d");
    drawing.drawImage(image, 0, 0, size, size);
    const { data } = drawing.getImageData(0, 0, size, size);
    return btoa(Array.from(data, (value) => String.fromCharCode(value)).join(""));
}"""


def main() -> None:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page()
        FILES.mkdir(exist_ok=True)
        for purpose in ("any", "maskable"):
            for size in SIZES:
                (FILES / f"{purpose}-{size}.png").write_bytes(png(page, purpose, size))
        browser.close()


def png(page: Page, purpose: str, size: int) -> bytes:
    """The drawing in black and white, as shades of the palette."""
    svg = drawing("#000000", "#ffffff", is_maskable=purpose == "maskable")
    pixels = base64.b64decode(page.evaluate(PIXELS, [svg, size]))
    shades = bytes(shade(red, alpha) for red, alpha in zip(pixels[::4], pixels[3::4], strict=True))
    lines = b"".join(b"\0" + shades[start : start + size] for start in range(0, len(shades), size))
    opaque, fading = b"\xff" * SHADES, bytes(round(255 * step / (SHADES - 1)) for step in range(SHADES))
    return (
        SIGNATURE
        + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 3, 0, 0, 0))
        + chunk(b"PLTE", palette(*on_icon(BUILT)))
        + chunk(b"tRNS", opaque + fading)
        + chunk(b"IDAT", zlib.compress(lines, 9))
        + chunk(b"IEND", b"")
    )


def shade(value: int, alpha: int) -> int:
    """The palette index of a pixel: a shade from black to white if opaque, else transparent black."""
    return round(value / 255 * (SHADES - 1)) if alpha == 255 else SHADES + round(alpha / 255 * (SHADES - 1))


if __name__ == "__main__":
    main()
