"""The page's accent in stylesheets and icons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from chat_ui.features.branding.colours import Scale

BUILT: Final = "indigo"
"""The accent of the built page."""
NAMED: Final = {
    "gray": "#8d8d8d",
    "gold": "#978365",
    "bronze": "#a18072",
    "brown": "#ad7f58",
    "yellow": "#ffe629",
    "amber": "#ffc53d",
    "orange": "#f76b15",
    "tomato": "#e54d2e",
    "red": "#e5484d",
    "ruby": "#e54666",
    "crimson": "#e93d82",
    "pink": "#d6409f",
    "plum": "#ab4aba",
    "purple": "#8e4ec6",
    "violet": "#6e56cf",
    "iris": "#5b5bd6",
    "indigo": "#3e63dd",
    "blue": "#0090ff",
    "cyan": "#00a2c7",
    "teal": "#12a594",
    "jade": "#29a383",
    "green": "#30a46c",
    "grass": "#46a758",
    "lime": "#bdee63",
    "mint": "#86ead4",
    "sky": "#7ce2fe",
}
"""The solid step of each Radix Themes accent, which overrides a CSS colour of the same name."""


def style_of_accent(accent: str) -> str:
    """The stylesheet rules of an accent: a name of `NAMED`, or any CSS colour.

    Raises:
        ValueError: the accent is neither.
    """
    light, dark = _scales(accent)
    return _rule(".radix-themes", _variables(light)) + _rule(".dark .radix-themes", _variables(dark))


def style_of_accent_by_scheme(accent: str) -> str:
    """The rules for a separate document that follows the system's colour scheme; empty for the built accent.

    Raises:
        ValueError: the accent is neither a name of `NAMED` nor a CSS colour.
    """
    if accent == BUILT:
        return ""
    light, dark = _scales(accent)
    in_the_dark = _rule(":root", _variables(dark))
    return f"{_rule(':root', _variables(light))}@media screen and (prefers-color-scheme: dark){{{in_the_dark}}}"


def on_icon(accent: str) -> tuple[str, str]:
    """The colours of an icon: its background and its drawing.

    Raises:
        ValueError: the accent is not a colour.
    """
    if accent == BUILT:
        return NAMED[BUILT], "#ffffff"
    light, _ = _scales(accent)
    return light.steps[8], light.contrast


def _scales(accent: str) -> tuple[Scale, Scale]:
    # Importing the colour module takes a quarter of a second; the built accent does not need it.
    from chat_ui.features.branding.colours import scales  # noqa: PLC0415

    return scales(NAMED.get(accent, accent))


def _variables(scale: Scale) -> dict[str, str]:
    return {
        **{f"--accent-{number}": step for number, step in enumerate(scale.steps, 1)},
        **{f"--accent-a{number}": step for number, step in enumerate(scale.alpha_steps, 1)},
        "--accent-contrast": scale.contrast,
        "--accent-surface": f"{scale.steps[1]}cc",
        "--accent-indicator": scale.steps[8],
        "--accent-track": scale.steps[8],
    }


def _rule(selector: str, variables: dict[str, str]) -> str:
    return f"{selector}{{{';'.join(f'{name}:{value}' for name, value in variables.items())}}}"
