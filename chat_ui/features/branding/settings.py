from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from chat_ui.settings import AbsolutePath, SettingsGroup


def _visible(value: str) -> str:
    if not any(letter.isprintable() and not letter.isspace() for letter in value):
        raise ValueError("must have visible characters")
    return value


class BrandingSettings(SettingsGroup):
    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=60), AfterValidator(_visible)] = Field(
        default="Chat", description="The name of the page."
    )
    logo: AbsolutePath = Field(default=None, description="An image beside the title: SVG, PNG, JPEG or WebP.")
    accent: str = Field(default="indigo", description="The accent: any CSS colour, or one of Radix Themes'.")
    font: str = Field(default="", description="Installed fonts in order of preference; not set: the system's.")
    radius: Literal["none", "small", "medium", "large", "full"] = Field(
        default="large", description="The radius of corners."
    )
    greeting: str = Field(default="", max_length=200, description="Text above an empty conversation.")
    introduction: str = Field(default="", max_length=1000, description="Text below the greeting.")
    notice: str = Field(default="", max_length=1000, description="Text above the conversation.")
    footer: str = Field(default="", max_length=1000, description="Text below the composer.")
    help_url: str = Field(default="", description="Target of a link Help below the composer.")
    privacy_url: str = Field(default="", description="Target of a link Privacy below the composer.")
