"""The twelve steps of an accent, computed from a colour, for the light and the dark theme.

The steps are those of Radix Colors (https://www.radix-ui.com/colors/docs/palette-composition/understanding-the-scale):
1 and 2 are backgrounds, 3 to 5 those of controls, 6 to 8 borders, 9 and 10 solid, 11 and 12 text. Their lightness and
chroma follow Radix's scales in OKLCH; a step that fails WCAG 2.2 AA is moved until it passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from coloraide import Color

TEXT: Final = 4.5
"""The contrast of text (WCAG 2.2, 1.4.3)."""
CONTROL: Final = 3.0
"""The contrast of controls and their states (WCAG 2.2, 1.4.11)."""
_LIGHT_STEPS: Final = (0.994, 0.981, 0.959, 0.932, 0.901, 0.862, 0.808, 0.735, None, None, 0.53, 0.31)
_DARK_STEPS: Final = (0.178, 0.208, 0.255, 0.294, 0.334, 0.381, 0.441, 0.522, None, None, 0.76, 0.92)
"""The lightness of each step; 9 and 10 derive from the colour."""
_COLOURFUL: Final = (0.02, 0.06, 0.14, 0.24, 0.34, 0.43, 0.53, 0.68, 1.0, 1.0, 0.9, 0.45)
"""The chroma of each step, as a share of the colour's."""
_HOVER: Final = 0.05
_HALVINGS: Final = 8
_LIGHT_PAGE, _DARK_PAGE = Color("#ffffff"), Color("#111113")


@dataclass(frozen=True, slots=True)
class Scale:
    """The steps of an accent as hex colours, and the colour of text on steps 9 and 10."""

    steps: tuple[str, ...]
    alpha_steps: tuple[str, ...]
    contrast: str


def scales(accent: str) -> tuple[Scale, Scale]:
    """The scales of any CSS colour, for the light and the dark theme.

    Raises:
        ValueError: the text is not a colour.
    """
    colour = Color(accent).convert("oklch")
    colour["alpha"] = 1
    return _scale(colour, _LIGHT_STEPS, _LIGHT_PAGE), _scale(colour, _DARK_STEPS, _DARK_PAGE)


def _scale(colour: Color, lightness: tuple[float | None, ...], page: Color) -> Scale:
    solid = _until(colour, page, CONTROL, page)
    label = max((Color("white"), Color("black")), key=solid.contrast)
    # Away from the label, which stays readable.
    hover = _with(solid, lightness=solid["lightness"] + (-_HOVER if label == Color("white") else _HOVER))
    steps = [
        solid if light is None else _with(colour, lightness=light, chroma=colour["chroma"] * part)
        for light, part in zip(lightness, _COLOURFUL, strict=True)
    ]
    steps[7] = _until(steps[7], page, CONTROL, page)
    steps[9] = hover
    # Text in the accent's colour is also on controls' backgrounds.
    steps[10] = _until(steps[10], steps[2], TEXT, page)
    steps[11] = _until(steps[11], steps[4], TEXT, page)
    shown = [_hex(step) for step in steps]
    return Scale(tuple(shown), tuple(_see_through(Color(step), page) for step in shown), _hex(label))


def _with(colour: Color, *, lightness: float, chroma: float | None = None) -> Color:
    """The colour with another lightness and chroma, within the gamut of sRGB."""
    chroma = colour["chroma"] if chroma is None else chroma
    return (
        colour.clone()
        .set({"lightness": min(max(lightness, 0), 1), "chroma": chroma})
        .fit("srgb", method="oklch-chroma")
    )


def _until(colour: Color, ground: Color, ratio: float, page: Color) -> Color:
    """The colour, moved away from the page's lightness until its contrast to `ground` is `ratio`."""
    near, far = colour["lightness"], 0.0 if page.luminance() > 0.5 else 1.0
    found = _with(colour, lightness=near)
    if _contrast(found, ground) >= ratio:
        return found
    found = _with(colour, lightness=far)
    for _ in range(_HALVINGS):
        middle = _with(colour, lightness=(near + far) / 2)
        if _contrast(middle, ground) >= ratio:
            found, far = middle, middle["lightness"]
        else:
            near = middle["lightness"]
    return found


def _contrast(colour: Color, ground: Color) -> float:
    """The contrast after rounding to the steps of a screen."""
    return float(Color(_hex(colour)).contrast(Color(_hex(ground))))


def _see_through(colour: Color, page: Color) -> str:
    """The most transparent colour that looks like `colour` on the page."""
    wanted, ground = (value.convert("srgb").coords() for value in (colour, page))
    ends = [1.0 if want > have else 0.0 for want, have in zip(wanted, ground, strict=True)]
    parts = [abs(w - g) / abs(e - g) if e != g else 0.0 for w, g, e in zip(wanted, ground, ends, strict=True)]
    alpha = max(*parts, 1 / 255)
    mixed = [min(max((w - g * (1 - alpha)) / alpha, 0), 1) for w, g in zip(wanted, ground, strict=True)]
    return str(Color("srgb", mixed, alpha).to_string(hex=True))


def _hex(colour: Color) -> str:
    return str(colour.convert("srgb").to_string(hex=True, alpha=False))
