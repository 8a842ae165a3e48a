"""Accents of any colour are readable on the light and the dark page."""

import pytest
from coloraide import Color
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.features.branding.accents import NAMED, on_icon, style_of_accent
from chat_ui.features.branding.colours import CONTROL, TEXT, Scale, scales

COLOURS = [
    "#000", "#fff", "#ffe600", "#0b6e4f", "rebeccapurple", "rgb(12 34 56)", "oklch(70% 0.4 30)", "#ff000080", "gray",
]  # fmt: skip
PAGES = (Color("#ffffff"), Color("#111113"))


def expect_readable(scale: Scale, page: Color) -> None:
    solid, hover, text, strong = (Color(scale.steps[step]) for step in (8, 9, 10, 11))
    label = Color(scale.contrast)
    assert label.contrast(solid) >= TEXT
    assert label.contrast(hover) >= TEXT
    assert solid.contrast(page) >= CONTROL
    for ground in (page, *(Color(step) for step in scale.steps[:3])):
        assert text.contrast(ground) >= TEXT
    for ground in (page, *(Color(step) for step in scale.steps[:5])):
        assert strong.contrast(ground) >= TEXT


def expect_all_readable(colour: str) -> None:
    for scale, page in zip(scales(colour), PAGES, strict=True):
        expect_readable(scale, page)


def test_each_notation_of_a_colour_gives_two_readable_scales():
    for colour in COLOURS:
        expect_all_readable(colour)


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_any_colour_is_readable(rgb: tuple[int, int, int]):
    expect_all_readable("#{:02x}{:02x}{:02x}".format(*rgb))


def test_the_solid_step_is_the_colour_itself_where_it_is_visible():
    light, dark = scales("#0b6e4f")
    assert (light.steps[8], dark.steps[8]) == ("#0b6e4f", "#0b6e4f")
    light, dark = scales("#000")
    assert light.steps[8] == "#000000"
    assert dark.steps[8] != "#000000"


def test_a_translucent_step_looks_like_its_opaque_step_on_the_page():
    for colour in ("#0b6e4f", "#ffe600", "#808080"):
        for scale, page in zip(scales(colour), PAGES, strict=True):
            for solid, through in zip(scale.steps, scale.alpha_steps, strict=True):
                assert Color.layer([through, page], space="srgb").delta_e(solid, method="76") < 3, colour


def test_each_named_accent_is_readable_and_its_icon_visible():
    for accent, colour in NAMED.items():
        expect_all_readable(colour)
        ground, drawn = on_icon(accent)
        assert Color(ground).contrast(drawn) >= TEXT, accent


def test_the_rules_of_an_accent_cover_both_schemes():
    light, dark = style_of_accent("teal").split(".dark ")
    assert f"--accent-9:{NAMED['teal']};" in light
    assert "--accent-contrast:#000000" in dark


def test_an_invalid_colour_is_refused():
    for accent in ("nothing", "#12", "url(x)", "red;}", ""):
        with pytest.raises(ValueError):
            style_of_accent(accent)
