from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from chat_ui.settings import SettingsGroup, Words, origins_of


def _origins_of_pages(values: tuple[str, ...]) -> tuple[str, ...]:
    # A browser accepts more sources in a policy; reject those that the page's message check does not support.
    origins_of(tuple(value.replace("://*.", "://", 1) for value in values if value not in ("'self'", "*")))
    return values


class EmbeddingSettings(SettingsGroup):
    frame_ancestors: Annotated[Words, AfterValidator(_origins_of_pages)] = Field(
        default=(), description="Origins of pages that may embed this one."
    )
