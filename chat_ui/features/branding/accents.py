"""The accent of the page as rules of a stylesheet, and as an icon shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from chat_ui.features.branding.colours import Scale

BUILT: Final = "indigo"
"""The accent with which the page is built."""
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
"""The solid step of each accent of Radix Themes; where a CSS colour has the same name, this one is meant."""


def style_of_accent(accent: str) -> str:
    """The rules of a stylesheet that make this the accent of the page: a name of `NAMED`, or any CSS colour.

    Raises:
        ValueError: it is neither.
    """
    light, dark = _scales(accent)
    return _rule(".radix-themes", _variables(light)) + _rule(".dark .radix-themes", _variables(dark))


def style_of_accent_by_scheme(accent: str) -> str:
    """The same for a document of its own, which is dark where the system is; empty for the accent that is built in.

    Raises:
        ValueError: it is neither.
    """
    if accent == BUILT:
        return ""
    light, dark = _scales(accent)
    in_the_dark = _rule(":root", _variables(dark))
    return f"{_rule(':root', _variables(light))}@media screen and (prefers-color-scheme: dark){{{in_the_dark}}}"


def on_icon(accent: str) -> tuple[str, str]:
    """The colours of an icon in the accent: its ground, and the drawing on it.

    Raises:
        ValueError: it is no colour.
    """
    if accent == BUILT:
        return NAMED[BUILT], "#ffffff"
    light, _ = _scales(accent)
    return light.steps[8], light.contrast


def _scales(accent: str) -> tuple[Scale, Scale]:
    # To load what works with colours takes a quarter of a second, which the accent that is built in saves.
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
