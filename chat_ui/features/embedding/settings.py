"""Settings of embedding."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from chat_ui.settings import SettingsGroup, Words, origins_of


def _origins_of_pages(values: tuple[str, ...]) -> tuple[str, ...]:
    # A browser takes more for a source of a policy; the page, which hears those origins alone, takes the same as it.
    origins_of(tuple(value.replace("://*.", "://", 1) for value in values if value not in ("'self'", "*")))
    return values


class EmbeddingSettings(SettingsGroup):
    """The pages that may show this one."""

    frame_ancestors: Annotated[Words, AfterValidator(_origins_of_pages)] = Field(
        default=(), description="Origins of pages that may show this one in a frame."
    )
